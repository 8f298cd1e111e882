package dev.weir.cluster;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeFailure;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds seeds that belong to another cluster, before they are needed: visits those that are no
 * known node's address once a minute. Runs on a virtual thread of its own.
 */
final class SeedCheck {
  private static final Duration EVERY = Duration.ofMinutes(1);

  private final Seeds seeds;
  private final SeedHunt hunt;
  private final StateReader reader;
  private final Views views;
  private final Troubles troubles;

  SeedCheck(Seeds seeds, SeedHunt hunt, StateReader reader, Views views, Troubles troubles) {
    this.seeds = seeds;
    this.hunt = hunt;
    this.reader = reader;
    this.views = views;
    this.troubles = troubles;
  }

  /** Checks until interrupted. */
  void run() throws InterruptedException {
    while (true) {
      check(views.newest());
      Thread.sleep(EVERY);
    }
  }

  private void check(ClusterView view) throws InterruptedException {
    Set<InetSocketAddress> strange = new LinkedHashSet<>(seeds.resolve().addresses());
    Set<InetSocketAddress> members =
        view.nodes().values().stream().map(NodeEndpoint::transport).collect(Collectors.toSet());
    members.forEach(troubles::accept);
    strange.removeAll(members);
    hunt.over(
        strange,
        (address, node) -> {
          try {
            Vitals vitals = reader.vitalsOf(node);
            String followed = view.state().metadata().clusterUUID();
            if (NodeLook.at(vitals, view, followed) == NodeLook.FOREIGN) {
              troubles.refuse(address, vitals, followed);
            } else {
              troubles.accept(address);
            }
          } catch (NodeFailure unreachable) {
            // a seed may be down
          }
          return false;
        });
  }
}
