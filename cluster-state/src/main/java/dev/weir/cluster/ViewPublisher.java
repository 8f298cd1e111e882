package dev.weir.cluster;

import dev.weir.cluster.ClusterStateReader.ReadResult;
import java.util.Set;
import java.util.function.LongSupplier;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.settings.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns cluster states that were read into views and publishes them. Confined to the watching
 * thread.
 */
final class ViewPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(ViewPublisher.class);

  private GatewayNode gateway;
  private final NodeConnector access;
  private final NodeInfoCollector nodeInfo;
  private final ClusterViewStore views;
  private final LongSupplier nanoTime;
  private volatile Set<String> unknownParts = Set.of();

  ViewPublisher(
      GatewayNode self,
      NodeConnector access,
      NodeInfoCollector facts,
      ClusterViewStore views,
      LongSupplier nanoTime) {
    this.gateway = self;
    this.access = access;
    this.nodeInfo = facts;
    this.views = views;
    this.nanoTime = nanoTime;
  }

  /** The time, as views have it. */
  long now() {
    return nanoTime.getAsLong();
  }

  /** The newest view. */
  ClusterView view() {
    return views.newest();
  }

  /** Parts of the newest view's state that were left out. */
  Set<String> unknownParts() {
    return unknownParts;
  }

  /** The settings that the nodes' own files agree on. */
  Settings nodeSettings() {
    return nodeInfo.agreedSettings();
  }

  /** Publishes a state that was read as the newest view. */
  void publish(ReadResult read) {
    ClusterView before = views.newest();
    ClusterState state = gateway.addTo(read.state());
    nodeInfo.retainOnly(state.nodes());
    boolean lenient = !read.unknownParts().isEmpty();
    logUnknown(read.unknownParts());
    ClusterView view =
        before.next(
            state,
            nodeInfo.endpoints(state.nodes(), gateway.node()),
            nanoTime.getAsLong(),
            lenient,
            settings(state, before));
    access.update(view.nodes().values());
    views.replace(view, true);
  }

  /** Notes that a node still has the newest view's state. */
  void confirm() {
    views.replace(views.newest().confirm(nanoTime.getAsLong()), false);
  }

  /** Nodes that have not said their REST address and settings yet. */
  Set<String> nodesWithoutInfo() {
    return nodeInfo.findIncomplete(views.newest().state().nodes(), gateway.node());
  }

  /** Shows the gateway as another node from now on. */
  void setGateway(GatewayNode other) {
    gateway = other;
    ClusterView before = views.newest();
    if (before.state().nodes().getLocalNode() == null) {
      return; // nothing was read yet
    }
    ClusterState state = other.replaceIn(before.state());
    views.replace(
        before.next(
            state,
            before.nodes(),
            before.confirmedAtNanos(),
            before.isPartial(),
            before.settings()),
        true);
  }

  /** Adds what the nodes said of themselves since. */
  void republish() {
    ClusterView before = views.newest();
    ClusterView view =
        before.withEndpoints(
            nodeInfo.endpoints(before.state().nodes(), gateway.node()),
            settings(before.state(), before));
    access.update(view.nodes().values());
    views.replace(view, true);
  }

  private void logUnknown(Set<String> unknown) {
    if (unknown.equals(unknownParts)) {
      return;
    }
    unknownParts = Set.copyOf(unknown);
    if (unknown.isEmpty()) {
      LOG.info("cluster state read whole again");
    } else {
      LOG.warn(
          "cluster state has parts that this gateway does not know: got {} (expected: none); what"
              + " they say is left to the nodes",
          unknown);
    }
  }

  private ClusterViewSettings settings(ClusterState state, ClusterView before) {
    Settings effective =
        Settings.builder().put(nodeInfo.agreedSettings()).put(state.metadata().settings()).build();
    return effective.equals(before.settings().effective())
        ? before.settings()
        : ClusterViewSettings.of(effective);
  }
}
