package dev.weir.cluster;

import dev.weir.cluster.read.BucketedMap;
import dev.weir.cluster.read.Identity;
import dev.weir.model.NodeEndpoint;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.OperationRouting;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.cluster.routing.ShardRouting;

/**
 * An immutable picture of the cluster at one moment: a whole state, in which the routing of single
 * indices may be newer than the rest. Creating one for newer routing takes constant time. For other
 * metadata it takes one comparison for each index, and for other nodes one step for each node.
 * Derived values are computed on first use, and shared with the previous view as far as they depend
 * on nothing that changed.
 */
public final class ClusterView {
  private final ClusterState state;
  private final RoutingEntries routing;
  private final Map<String, NodeEndpoint> nodes;
  private final long confirmedAtNanos;
  private final Origin origin;
  private final Derived derived;

  /**
   * Where a state comes from.
   *
   * @param isPartial whether parts that the gateway does not know were left out
   * @param setbacks how often the cluster was set back to an earlier state before
   */
  private record Origin(boolean isPartial, int setbacks) {}

  /** The entries of the routing table, and the version of the newest one. */
  private record RoutingEntries(BucketedMap<IndexRoutingTable> tables, long version) {}

  /** Values derived from a state, shared by all views that have the same. */
  private record Derived(
      ClusterViewSettings settings,
      OperationRouting routing,
      ShardTargetCache targetCache,
      ResolvedNamesCache names,
      SearchPipelineUse pipelines) {}

  /**
   * Creates a view that uses the settings of the state alone.
   *
   * @param state OpenSearch's own state, for its own resolver and routing classes
   * @param nodes every node by id, with its REST address once known
   * @param readAtNanos when it was last confirmed, {@link System#nanoTime()}
   * @param lenient whether parts that the gateway does not know were left out
   */
  public ClusterView(
      ClusterState state, Map<String, NodeEndpoint> nodes, long readAtNanos, boolean lenient) {
    this(
        GatewayNode.UNNAMED.addTo(state),
        new RoutingEntries(
            BucketedMap.copyOf(state.routingTable().indicesRouting()), state.version()),
        nodes,
        readAtNanos,
        new Origin(lenient, 0),
        derive(ClusterViewSettings.of(state.metadata().settings()), state, null));
  }

  private ClusterView(
      ClusterState state,
      RoutingEntries routing,
      Map<String, NodeEndpoint> nodes,
      long readAtNanos,
      Origin origin,
      Derived derived) {
    this.state = state;
    this.routing = routing;
    this.nodes = Map.copyOf(nodes);
    this.confirmedAtNanos = readAtNanos;
    this.origin = origin;
    this.derived = derived;
  }

  /** Creates an empty view: no nodes, no indices. */
  public static ClusterView empty(long nowNanos) {
    return new ClusterView(ClusterState.EMPTY_STATE, Map.of(), nowNanos, false);
  }

  /**
   * Creates the view that follows this one.
   *
   * @param routing the entries of the state's routing table
   */
  ClusterView next(
      ClusterState read,
      BucketedMap<IndexRoutingTable> routing,
      Map<String, NodeEndpoint> endpoints,
      long nowNanos,
      boolean leniently,
      ClusterViewSettings settings) {
    return new ClusterView(
        read,
        new RoutingEntries(routing, read.version()),
        endpoints,
        nowNanos,
        new Origin(leniently, origin.setbacks()),
        derive(settings, read, this));
  }

  /**
   * Returns a view like this one, for the cluster that was set back: {@link #next} of it belongs to
   * {@link #isSameCluster another cluster} than this view.
   */
  ClusterView beforeSetback() {
    return new ClusterView(
        state,
        routing,
        nodes,
        confirmedAtNanos,
        new Origin(origin.isPartial(), origin.setbacks() + 1),
        derived);
  }

  /**
   * Returns this view with newer routing of some indices, in time that does not depend on the size
   * of the cluster; this view itself if it has the same routing already. Routing that does not fit
   * to the view's metadata and nodes is left out.
   *
   * @param version of the state that has this routing
   */
  public ClusterView withRouting(Iterable<IndexRoutingTable> tables, long version) {
    Map<String, IndexRoutingTable> changed = new HashMap<>();
    for (IndexRoutingTable table : tables) {
      String name = table.getIndex().getName();
      if (!table.equals(routing.tables().get(name)) && isConsistent(table)) {
        changed.put(name, table);
      }
    }
    if (changed.isEmpty()) {
      return this;
    }
    BucketedMap<IndexRoutingTable> newer = routing.tables().with(changed, Set.of());
    ClusterState mixed =
        ClusterState.builder(state)
            .routingTable(new RoutingTable(state.routingTable().version(), newer))
            .build();
    return new ClusterView(
        mixed,
        new RoutingEntries(newer, Math.max(version, routing.version())),
        nodes,
        confirmedAtNanos,
        origin,
        derive(derived.settings, mixed, this));
  }

  private boolean isConsistent(IndexRoutingTable table) {
    IndexMetadata index = state.metadata().index(table.getIndex());
    if (index == null || index.getNumberOfShards() != table.shards().size()) {
      return false;
    }
    for (IndexShardRoutingTable shard : table) {
      for (ShardRouting copy : shard) {
        if (copy.assignedToNode() && !state.nodes().nodeExists(copy.currentNodeId())) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns the same view with another gateway. */
  ClusterView withGateway(GatewayNode gateway) {
    ClusterState changed = gateway.replaceIn(state);
    return new ClusterView(
        changed, routing, nodes, confirmedAtNanos, origin, derive(derived.settings, changed, this));
  }

  /** Returns the same view with a newer confirmation time. */
  ClusterView confirm(long nowNanos) {
    return new ClusterView(state, routing, nodes, nowNanos, origin, derived);
  }

  /**
   * Returns the same state with other endpoints and settings, which the nodes themselves reported.
   */
  ClusterView withEndpoints(Map<String, NodeEndpoint> endpoints, ClusterViewSettings settings) {
    return new ClusterView(
        state,
        routing,
        endpoints,
        confirmedAtNanos,
        origin,
        settings.equals(derived.settings) ? derived : derive(settings, state, this));
  }

  private static Derived derive(
      ClusterViewSettings settings, ClusterState state, @Nullable ClusterView previous) {
    SearchPipelineUse pipelines =
        new SearchPipelineUse(settings, () -> state.metadata().indices().values());
    if (previous == null) {
      return new Derived(
          settings,
          settings.operationRouting(),
          new ShardTargetCache(),
          new ResolvedNamesCache(),
          pipelines);
    }
    Derived before = previous.derived;
    boolean sameNodes = Identity.isSame(previous.state.nodes(), state.nodes());
    boolean sameNames = NameLookups.areSame(previous.state.metadata(), state.metadata());
    boolean sameSettings = before.settings.equals(settings);
    return new Derived(
        settings,
        sameSettings ? before.routing : settings.operationRouting(),
        sameNodes ? before.targetCache.retainOnly(state.routingTable()) : new ShardTargetCache(),
        sameNames ? before.names : new ResolvedNamesCache(),
        sameNames && sameSettings ? before.pipelines : pipelines);
  }

  /** Returns OpenSearch's own state; its local node is the gateway, as a coordinating-only node. */
  public ClusterState state() {
    return state;
  }

  /** Returns every node by id, with its REST address once known; never the gateway itself. */
  public Map<String, NodeEndpoint> nodes() {
    return nodes;
  }

  /** Returns when the view was last confirmed, {@link System#nanoTime()}. */
  public long confirmedAtNanos() {
    return confirmedAtNanos;
  }

  /** Returns whether parts of the state that the gateway does not know were left out. */
  public boolean isPartial() {
    return origin.isPartial();
  }

  /** Returns whether both have the same cluster state, regardless of their confirmation times. */
  public boolean hasSameState(ClusterView other) {
    return state.stateUUID().equals(other.state.stateUUID())
        && Identity.isSame(state.routingTable(), other.state.routingTable());
  }

  /** Returns the entries of the routing table. */
  BucketedMap<IndexRoutingTable> routingEntries() {
    return routing.tables();
  }

  /**
   * Returns the version of the newest state that routing of this view comes from: that of its
   * state, or a later one. A node that has not applied a state of this version may disagree with
   * the view.
   */
  public long routingVersion() {
    return routing.version();
  }

  /** Returns whether the routing of some indices is newer than the rest of the state. */
  public boolean hasNewerRouting() {
    return routing.version() > state.version();
  }

  /**
   * Returns whether both belong to the same cluster. A rebuilt cluster is another one, and so is a
   * cluster that was set back to an earlier state: its versions repeat, with other contents.
   */
  public boolean isSameCluster(ClusterView other) {
    return state.metadata().clusterUUID().equals(other.state.metadata().clusterUUID())
        && origin.setbacks() == other.origin.setbacks();
  }

  /** Returns the settings that a coordinating node reads. */
  public ClusterViewSettings settings() {
    return derived.settings;
  }

  /** Returns OpenSearch's own routing, with this view's settings. */
  public OperationRouting routing() {
    return derived.routing;
  }

  /** Returns whether a search that names no pipeline may run one all the same. */
  public boolean mayRunSearchPipelines() {
    return derived.pipelines.isPossible();
  }

  /**
   * Returns an object that is the same for all views in which names resolve to the same indices and
   * settings are equal, as the scope of a cache. A moved shard or a new mapping does not change it.
   */
  public Object resolutionScope() {
    return derived.pipelines;
  }

  /** Returns what the names of earlier searches mean. */
  ResolvedNamesCache resolvedNames() {
    return derived.names;
  }

  /** Returns the cached targets of requests without a preference. */
  ShardTargetCache targetCache() {
    return derived.targetCache;
  }

  @Override
  public String toString() {
    return "ClusterView["
        + state.getClusterName().value()
        + " term "
        + state.term()
        + " version "
        + state.version()
        + ", "
        + nodes.size()
        + " nodes, "
        + state.metadata().indices().size()
        + " indices"
        + (isPartial() ? ", lenient]" : "]");
  }
}
