package dev.weir.cluster;

import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.SeedClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.opensearch.cluster.metadata.Metadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the cluster when none of its known nodes answers, at first too: tries the seeds and every
 * address that its nodes ever had (a bounded number of those at a time). Confined to the watching
 * thread.
 */
final class ClusterRediscovery {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterRediscovery.class);
  private static final int MAX_ADDRESSES = 1_000;
  private static final int MAX_KNOWN_PER_ATTEMPT = 32;

  private final ClusterFollowerOptions options;
  private final SeedDiscovery discovery;
  private final ClusterStateReader reader;
  private final ViewPublisher publisher;
  private final NodeInfoCollector nodeInfo;
  private final ClusterErrors clusterErrors;
  private final Map<InetSocketAddress, Boolean> knownAddresses =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, Boolean> eldest) {
          return size() > MAX_ADDRESSES;
        }
      };

  private final ClusterReplacementDetector replacementDetector = new ClusterReplacementDetector();
  private final LongAdder replacements = new LongAdder();
  private int attempts;

  ClusterRediscovery(
      ClusterFollowerOptions options,
      SeedDiscovery hunt,
      ClusterStateReader reader,
      ViewPublisher publisher,
      NodeInfoCollector facts,
      ClusterErrors troubles) {
    this.options = options;
    this.discovery = hunt;
    this.reader = reader;
    this.publisher = publisher;
    this.nodeInfo = facts;
    this.clusterErrors = troubles;
  }

  /** The uuid of the cluster that is followed, by configuration or since the first view. */
  String followedUuid() {
    String seen = publisher.view().state().metadata().clusterUUID();
    if (!seen.equals(Metadata.UNKNOWN_CLUSTER_UUID)) {
      return seen;
    }
    String only = options.clusterUuid();
    return only == null ? "" : only;
  }

  /** How often another cluster was found in the place of the one that was followed. */
  long replacements() {
    return replacements.sum();
  }

  /** The followed cluster is there. */
  void reset() {
    replacementDetector.reset();
  }

  /**
   * Tries everything once.
   *
   * @param failures of the known nodes, for the error
   * @param gone whether none of them is connected but such as are of another cluster now
   * @return whether the cluster was heard
   */
  boolean tryAll(List<String> failures, boolean gone) throws InterruptedException {
    if (!gone) {
      replacementDetector.reset();
    }
    publisher.view().nodes().values().forEach(node -> knownAddresses.put(node.transport(), true));
    SeedHosts.Resolved seeds = options.seeds().resolve();
    Set<InetSocketAddress> addresses = new LinkedHashSet<>(seeds.addresses());
    addresses.addAll(nextKnownAddresses());
    List<String> errors = new ArrayList<>(failures);
    seeds.unresolved().forEach(seed -> errors.add(seed + ": no address"));
    SeedDiscovery.Result outcome =
        discovery.tryAll(addresses, (address, node) -> visit(address, node, errors));
    if (outcome.found()) {
      if (failures.isEmpty()) {
        clusterErrors.clearFailure();
      } else {
        clusterErrors.recordFailure(
            "only seeds answer, not the nodes at their own addresses: " + errors);
      }
      return true;
    }
    replacementDetector.removeSilent(outcome.failures().keySet());
    String successor =
        gone && options.clusterUuid() == null
            ? replacementDetector.findReplacement(publisher.view(), publisher.now())
            : null;
    if (successor != null && follow(successor)) {
      return true;
    }
    outcome.failures().forEach((address, said) -> errors.add(address + ": " + said));
    clusterErrors.recordFailure("no node answers: " + errors);
    return false;
  }

  /** Whether the cluster that took the place of the other one is followed from now on. */
  private boolean follow(String successor) throws InterruptedException {
    Set<InetSocketAddress> strangers = replacementDetector.foreignAddresses();
    SeedDiscovery.Result outcome =
        discovery.tryAll(
            strangers,
            (address, node) -> {
              try {
                return reader.probeState(node).clusterUuid().equals(successor)
                    && acceptNode(node, successor, strangers);
              } catch (NodeCallException | IOException | RuntimeException unheard) {
                return false; // perhaps the next one
              }
            });
    return outcome.found();
  }

  private boolean acceptNode(SeedClient node, String successor, Set<InetSocketAddress> strangers)
      throws NodeCallException, IOException, InterruptedException {
    ClusterStateReader.ReadResult read = reader.readState(node, publisher.nodeSettings());
    if (!StateProbe.of(read.state()).clusterUuid().equals(successor)) {
      return false;
    }
    LOG.warn(
        "cluster {} was rebuilt: got uuid {} at {} of its {} addresses (expected: {}, of which"
            + " no node answers); the gateway follows the new cluster and forgets what it learned"
            + " of the old one",
        read.state().getClusterName().value(),
        successor,
        strangers.size(),
        publisher.view().nodes().size(),
        followedUuid());
    publisher.publish(read);
    replacements.increment();
    replacementDetector.reset();
    strangers.forEach(clusterErrors::acceptSeed);
    clusterErrors.clearFailure();
    collectNodeInfo(node);
    return true;
  }

  /** Other ones each time, when there are many. */
  private List<InetSocketAddress> nextKnownAddresses() {
    List<InetSocketAddress> known = new ArrayList<>(knownAddresses.keySet());
    Collections.rotate(known, attempts++ * MAX_KNOWN_PER_ATTEMPT);
    return known.subList(0, Math.min(known.size(), MAX_KNOWN_PER_ATTEMPT));
  }

  private boolean visit(InetSocketAddress address, SeedClient node, List<String> errors)
      throws InterruptedException {
    try {
      StateProbe vitals = reader.probeState(node);
      switch (NodeInspector.compare(vitals, publisher.view(), followedUuid())) {
        case NOT_JOINED -> {
          replacementDetector.reset();
          errors.add(address + ": has not joined a cluster");
        }
        case FOREIGN -> {
          replacementDetector.addForeignNode(address, vitals);
          clusterErrors.rejectSeed(address, vitals, followedUuid());
          errors.add(address + ": belongs to another cluster");
        }
        case BEHIND -> {
          replacementDetector.reset();
          errors.add(address + ": lags behind the newest state that was seen");
        }
        case SAME -> {
          replacementDetector.reset();
          publisher.confirm();
          return true;
        }
        case NEWER, NO_CLUSTER_MANAGER -> {
          replacementDetector.reset();
          ClusterStateReader.ReadResult read = reader.readState(node, publisher.nodeSettings());
          if (StateProbe.of(read.state()).hasJoined()) {
            publisher.publish(read);
            collectNodeInfo(node);
            return true;
          }
        }
      }
    } catch (NodeCallException | IOException | RuntimeException failure) {
      errors.add(address + ": " + failure.getMessage());
    }
    return false;
  }

  private void collectNodeInfo(SeedClient node) throws InterruptedException {
    try {
      if (nodeInfo.collect(node, publisher.nodesWithoutInfo())) {
        publisher.republish();
      }
    } catch (NodeCallException unheard) {
      // asked again at one of the known nodes
    }
  }
}
