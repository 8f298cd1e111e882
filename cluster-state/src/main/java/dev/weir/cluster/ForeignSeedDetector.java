package dev.weir.cluster;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCallException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Detects seeds that belong to another cluster, before the gateway needs them: once a minute it
 * probes the seeds that are no known node's address. Runs on a virtual thread of its own.
 */
final class ForeignSeedDetector {
  private static final Duration INTERVAL = Duration.ofMinutes(1);

  private final SeedHosts seeds;
  private final SeedDiscovery discovery;
  private final ClusterStateReader reader;
  private final ClusterViewStore views;
  private final ClusterErrors errors;

  ForeignSeedDetector(
      SeedHosts seeds,
      SeedDiscovery hunt,
      ClusterStateReader reader,
      ClusterViewStore views,
      ClusterErrors troubles) {
    this.seeds = seeds;
    this.discovery = hunt;
    this.reader = reader;
    this.views = views;
    this.errors = troubles;
  }

  /** Checks until interrupted. */
  void run() throws InterruptedException {
    while (true) {
      check(views.newest());
      Thread.sleep(INTERVAL);
    }
  }

  /** Checks once. */
  void check(ClusterView view) throws InterruptedException {
    Set<InetSocketAddress> strange = new LinkedHashSet<>(seeds.resolve().addresses());
    errors.retainSeeds(strange);
    Set<InetSocketAddress> members =
        view.nodes().values().stream().map(NodeEndpoint::transport).collect(Collectors.toSet());
    members.forEach(errors::acceptSeed);
    strange.removeAll(members);
    discovery.tryAll(
        strange,
        (address, node) -> {
          try {
            StateProbe probe = reader.probeState(node);
            String followed = view.state().metadata().clusterUUID();
            if (StateComparison.compare(probe, view, followed) == StateComparison.FOREIGN) {
              errors.rejectSeed(address, probe, followed);
            } else {
              errors.acceptSeed(address);
            }
          } catch (NodeCallException unreachable) {
            // a seed may be down
          }
          return false;
        });
  }
}
