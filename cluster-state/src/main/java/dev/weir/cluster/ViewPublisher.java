package dev.weir.cluster;

import dev.weir.cluster.ClusterStateReader.ReadResult;
import dev.weir.cluster.diff.SteppedState;
import dev.weir.cluster.read.BucketedMap;
import dev.weir.cluster.read.Identity;
import dev.weir.cluster.read.MovingIndices;
import dev.weir.model.NodeRequestRules;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.common.settings.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Converts cluster states to views and publishes them. Safe on any thread: each method holds the
 * publisher's monitor, in which listeners are called too, and callers hold it to base a view on the
 * newest one.
 */
final class ViewPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(ViewPublisher.class);

  private GatewayNode gateway;
  private final NodeConnector access;
  private final NodeInfoCollector nodeInfo;
  private final ClusterViewStore views;
  private final LongSupplier nanoTime;
  private final NewerRouting newerRouting = new NewerRouting();
  private final MovingIndices movingIndices = new MovingIndices();
  private DiscoveryNodes nodesRead = DiscoveryNodes.EMPTY_NODES;
  private BucketedMap<IndexRoutingTable> routingRead = BucketedMap.copyOf(Map.of());
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

  /** Returns the current time by the clock of the views. */
  long now() {
    return nanoTime.getAsLong();
  }

  /** Returns the newest view. */
  ClusterView view() {
    return views.newest();
  }

  /**
   * Returns the newest view's state as it was read, without newer routing: a step to a later state
   * has no index whose routing is then again what it was.
   */
  synchronized SteppedState steppedState() {
    ClusterState state = views.newest().state();
    return new SteppedState(
        ClusterState.builder(state)
            .nodes(nodesRead)
            .routingTable(new RoutingTable(state.routingTable().version(), routingRead))
            .build(),
        routingRead);
  }

  /** Returns the parts that were left out of the newest view's state. */
  Set<String> unknownParts() {
    return unknownParts;
  }

  /** Returns the settings on which the nodes' own files agree. */
  Settings nodeSettings() {
    return nodeInfo.agreedSettings();
  }

  /** Returns whether shards are moving in the newest view. */
  synchronized boolean hasMovingIndices() {
    return !movingIndices.isEmpty();
  }

  /** Returns at most this many indices of which a shard is moving; repeated calls return all. */
  synchronized List<String> nextMovingIndices(int max) {
    return movingIndices.next(max);
  }

  /** Publishes a whole state as the newest view, unless that is newer already. */
  synchronized void publish(ReadResult read) {
    ClusterView before = views.newest();
    if (!isOlder(read.state(), before.state())) {
      publish(read, before);
    }
  }

  /**
   * Publishes the state of a cluster that was set back, although the newest view's is newer.
   *
   * @param known the view before which the cluster was set back
   * @return false if the newest view has another state than that one by now
   */
  synchronized boolean publishSetback(ReadResult read, ClusterView known) {
    ClusterView before = views.newest();
    if (!before.hasSameState(known)) {
      return false;
    }
    newerRouting.clear();
    publish(read, before.beforeSetback());
    return true;
  }

  private void publish(ReadResult read, ClusterView before) {
    ClusterState state = addGateway(read.state(), before);
    if (!state.metadata().clusterUUID().equals(before.state().metadata().clusterUUID())) {
      newerRouting.clear();
    }
    newerRouting.dropUpTo(StatePosition.of(state));
    routingRead = read.routing();
    logUnknown(read.unknownParts());
    boolean sameNodes = Identity.isSame(state.nodes(), before.state().nodes());
    if (!sameNodes) {
      nodeInfo.retainOnly(state.nodes());
    }
    ClusterView whole =
        before.next(
            state,
            read.routing(),
            sameNodes ? before.nodes() : nodeInfo.endpoints(state.nodes(), gateway.node()),
            nanoTime.getAsLong(),
            !read.unknownParts().isEmpty(),
            sameNodes && Identity.isSame(state.metadata(), before.state().metadata())
                ? before.settings()
                : settings(state, before));
    if (!sameNodes) {
      access.update(whole.nodes().values());
    }
    replace(newerRouting.addTo(whole));
  }

  /**
   * Publishes the newest view with newer routing of some indices, unless it has the same, or its
   * whole state is as new.
   *
   * @param position of the state that the routing was read from
   */
  synchronized void publishRouting(StatePosition position, Iterable<IndexRoutingTable> tables) {
    if (position.compareTo(StatePosition.of(views.newest().state())) <= 0) {
      return; // a whole state came while the routing was read
    }
    newerRouting.add(position, tables);
    ClusterView changed = newerRouting.addTo(views.newest());
    if (!Identity.isSame(changed, views.newest())) {
      replace(changed);
    }
  }

  private static boolean isOlder(ClusterState read, ClusterState known) {
    return read.metadata().clusterUUID().equals(known.metadata().clusterUUID())
        && StatePosition.of(read).compareTo(StatePosition.of(known)) < 0;
  }

  private void replace(ClusterView view) {
    movingIndices.update(view.routingEntries());
    views.replace(view, true);
  }

  /** Adds the gateway to the nodes of a state; the same nodes as before if those read are. */
  private ClusterState addGateway(ClusterState read, ClusterView before) {
    DiscoveryNodes known = before.state().nodes();
    boolean sameNodes =
        Identity.isSame(read.nodes(), nodesRead)
            && Identity.isSame(known.getLocalNode(), gateway.node());
    nodesRead = read.nodes();
    return sameNodes ? ClusterState.builder(read).nodes(known).build() : gateway.addTo(read);
  }

  /** Records that a node still has the newest view's state. */
  synchronized void confirm() {
    views.replace(views.newest().confirm(nanoTime.getAsLong()), false);
  }

  /** Returns the ids of nodes that have not reported their REST address and settings yet. */
  synchronized Set<String> nodesWithoutInfo() {
    return nodeInfo.findIncomplete(views.newest().state().nodes(), gateway.node());
  }

  /** Changes the gateway's own node in this and all later views. */
  synchronized void setGateway(GatewayNode other) {
    gateway = other;
    ClusterView before = views.newest();
    if (before.state().nodes().getLocalNode() == null) {
      return; // there is no state yet
    }
    views.replace(before.withGateway(other), true);
  }

  /** Publishes the newest state again with what the nodes have reported about themselves since. */
  synchronized void republish() {
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
      LOG.info("cluster state has no unknown parts any more");
    } else {
      LOG.warn(
          "cluster state has parts that this gateway does not know: got {} (expected: none);"
              + " requests that need them pass through to nodes",
          unknown);
    }
  }

  private ClusterViewSettings settings(ClusterState state, ClusterView before) {
    Settings effective =
        Settings.builder().put(nodeInfo.agreedSettings()).put(state.metadata().settings()).build();
    NodeRequestRules rules = nodeInfo.requestRules();
    return effective.equals(before.settings().effective())
            && rules.equals(before.settings().requestRules())
        ? before.settings()
        : ClusterViewSettings.of(effective, rules);
  }
}
