package dev.weir.cluster;

import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
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
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.Metadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the cluster when none of its known nodes answers, and at the start. It tries the seeds and
 * every address that the cluster's nodes ever had, a bounded number at a time. It also decides
 * whether what answers in place of the newest view's state has replaced that: another cluster, or
 * an earlier state of the same one. Confined to the polling thread.
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
  private final ClusterSetbackDetector setbackDetector = new ClusterSetbackDetector();
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

  /** Returns the uuid of the followed cluster, from the configuration or from the first view. */
  String followedUuid() {
    String seen = publisher.view().state().metadata().clusterUUID();
    if (!seen.equals(Metadata.UNKNOWN_CLUSTER_UUID)) {
      return seen;
    }
    String only = options.clusterUuid();
    return only == null ? "" : only;
  }

  /** Returns how often another cluster replaced the followed one, or that one was set back. */
  long replacements() {
    return replacements.sum();
  }

  /** The followed cluster is reachable again, with the newest view's state or a newer one. */
  void reset() {
    replacementDetector.reset();
    setbackDetector.reset();
  }

  /**
   * Follows the cluster from an earlier state, if it is certain by now that it was set back.
   *
   * @param node a known node with a state that is older than the newest view
   * @return whether the newest view has the node's state now
   */
  boolean tryEarlierState(NodeClient node) throws InterruptedException {
    replacementDetector.reset();
    try {
      ClusterView view = publisher.view();
      if (!isSetBack(node, reader.readNodes(node), view)) {
        return false;
      }
      ClusterStateReader.ReadResult read = reader.readState(node, publisher.nodeSettings());
      if (!isSetBack(node, read.state(), view) || !publisher.publishSetback(read, view)) {
        return false;
      }
      LOG.warn(
          "cluster {} was set back: got term {} and version {} at {} (expected: at least term {}"
              + " and version {}), and all of its nodes were restarted; the gateway follows the"
              + " earlier state and forgets what it learned of indices",
          read.state().getClusterName().value(),
          read.state().term(),
          read.state().version(),
          node.endpoint().name(),
          view.state().term(),
          view.state().version());
      replacements.increment();
      reset();
      clusterErrors.clearFailure();
      return true;
    } catch (NodeCallException | IOException | RuntimeException unreadable) {
      LOG.debug("no earlier state from {}", node.endpoint().name(), unreadable);
      setbackDetector.reset(); // a read of the whole state is not repeated at once
      return false;
    }
  }

  private boolean isSetBack(NodeClient node, ClusterState found, ClusterView view) {
    if (StateComparison.compare(StateProbe.of(found), view, followedUuid())
        != StateComparison.BEHIND) {
      setbackDetector.reset();
      return false;
    }
    return setbackDetector.isSetBack(node.endpoint().id(), found, view, publisher.now());
  }

  /**
   * Tries all addresses once.
   *
   * @param failures the failures of the known nodes, for the error message
   * @param allForeign whether every connected node now belongs to another cluster
   * @return whether a node of the cluster answered
   */
  boolean tryAll(List<String> failures, boolean allForeign) throws InterruptedException {
    if (!allForeign) {
      replacementDetector.reset();
    }
    publisher.view().nodes().values().forEach(node -> knownAddresses.put(node.transport(), true));
    SeedHosts.Resolved seeds = options.seeds().resolve();
    Set<InetSocketAddress> addresses = new LinkedHashSet<>(seeds.addresses());
    addresses.addAll(nextKnownAddresses());
    List<String> errors = new ArrayList<>(failures);
    seeds.unresolved().forEach(seed -> errors.add(seed + ": host name has no address"));
    SeedDiscovery.Result outcome =
        discovery.tryAll(
            addresses,
            (address, node) -> visit(address, node, seeds.addresses().contains(address), errors));
    if (outcome.found()) {
      if (failures.isEmpty()) {
        clusterErrors.clearFailure();
      } else {
        clusterErrors.recordFailure(
            "only seeds answer, but no node does at its published address: " + errors);
      }
      return true;
    }
    replacementDetector.removeSilent(outcome.failures().keySet());
    String successor =
        allForeign && options.clusterUuid() == null
            ? replacementDetector.findReplacement(publisher.view(), publisher.now())
            : null;
    if (successor != null && follow(successor)) {
      return true;
    }
    outcome.failures().forEach((address, reason) -> errors.add(address + ": " + reason));
    clusterErrors.recordFailure("no node answers: " + errors);
    return false;
  }

  /** Follows the cluster that replaced the old one; returns whether that succeeded. */
  private boolean follow(String successor) throws InterruptedException {
    Set<InetSocketAddress> foreign = replacementDetector.foreignAddresses();
    SeedDiscovery.Result outcome =
        discovery.tryAll(
            foreign,
            (address, node) -> {
              try {
                return reader.probeState(node).clusterUuid().equals(successor)
                    && acceptNode(node, successor, foreign);
              } catch (NodeCallException | IOException | RuntimeException unreadable) {
                return false; // the next node may have it
              }
            });
    return outcome.found();
  }

  private boolean acceptNode(SeedClient node, String successor, Set<InetSocketAddress> foreign)
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
        foreign.size(),
        publisher.view().nodes().size(),
        followedUuid());
    publisher.publish(read);
    replacements.increment();
    replacementDetector.reset();
    foreign.forEach(clusterErrors::acceptSeed);
    clusterErrors.clearFailure();
    collectNodeInfo(node);
    return true;
  }

  /** Returns a bounded number of known addresses, starting after those of the previous call. */
  private List<InetSocketAddress> nextKnownAddresses() {
    List<InetSocketAddress> known = new ArrayList<>(knownAddresses.keySet());
    Collections.rotate(known, attempts++ * MAX_KNOWN_PER_ATTEMPT);
    return known.subList(0, Math.min(known.size(), MAX_KNOWN_PER_ATTEMPT));
  }

  private boolean visit(
      InetSocketAddress address, SeedClient node, boolean isSeed, List<String> errors)
      throws InterruptedException {
    try {
      StateProbe probe = reader.probeState(node);
      switch (StateComparison.compare(probe, publisher.view(), followedUuid())) {
        case NOT_JOINED -> {
          replacementDetector.reset();
          errors.add(address + ": has not joined a cluster");
        }
        case FOREIGN -> {
          replacementDetector.addForeignNode(address, probe);
          if (isSeed) {
            clusterErrors.rejectSeed(address, probe, followedUuid());
          }
          errors.add(address + ": belongs to another cluster");
        }
        case BEHIND -> {
          replacementDetector.reset();
          errors.add(address + ": lags behind the newest known state");
        }
        case SAME -> {
          reset();
          publisher.confirm();
          return true;
        }
        case NEWER, NO_CLUSTER_MANAGER -> {
          reset();
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
    } catch (NodeCallException unanswered) {
      // the poll asks again at a known node
    }
  }
}
