package dev.weir.cluster;

import dev.weir.model.NodeEndpoint;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.routing.OperationRouting;

/**
 * An immutable picture of the cluster at one moment. Creating one takes constant time; derived
 * values are computed on first use.
 */
public final class ClusterView {
  private final ClusterState state;
  private final Map<String, NodeEndpoint> nodes;
  private final long confirmedAtNanos;
  private final boolean isPartial;
  private final Derived derived;

  /** Values derived from a state, shared by all views of it. */
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
        nodes,
        readAtNanos,
        lenient,
        derive(ClusterViewSettings.of(state.metadata().settings()), state, null));
  }

  private ClusterView(
      ClusterState state,
      Map<String, NodeEndpoint> nodes,
      long readAtNanos,
      boolean lenient,
      Derived derived) {
    this.state = state;
    this.nodes = Map.copyOf(nodes);
    this.confirmedAtNanos = readAtNanos;
    this.isPartial = lenient;
    this.derived = derived;
  }

  /** Creates an empty view: no nodes, no indices. */
  public static ClusterView empty(long nowNanos) {
    return new ClusterView(ClusterState.EMPTY_STATE, Map.of(), nowNanos, false);
  }

  /** Creates the view that follows this one. */
  ClusterView next(
      ClusterState read,
      Map<String, NodeEndpoint> endpoints,
      long nowNanos,
      boolean leniently,
      ClusterViewSettings settings) {
    return new ClusterView(read, endpoints, nowNanos, leniently, derive(settings, read, this));
  }

  /** Returns the same view with a newer confirmation time. */
  ClusterView confirm(long nowNanos) {
    return new ClusterView(state, nodes, nowNanos, isPartial, derived);
  }

  /**
   * Returns the same state with other endpoints and settings, which the nodes themselves reported.
   */
  ClusterView withEndpoints(Map<String, NodeEndpoint> endpoints, ClusterViewSettings settings) {
    return new ClusterView(
        state,
        endpoints,
        confirmedAtNanos,
        isPartial,
        settings.equals(derived.settings) ? derived : derive(settings, state, this));
  }

  private static Derived derive(
      ClusterViewSettings settings, ClusterState state, @Nullable ClusterView previous) {
    return new Derived(
        settings,
        previous != null && previous.derived.settings.equals(settings)
            ? previous.derived.routing
            : settings.operationRouting(),
        new ShardTargetCache(),
        new ResolvedNamesCache(),
        new SearchPipelineUse(settings, () -> state.metadata().indices().values()));
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
    return isPartial;
  }

  /** Returns whether both have the same cluster state, regardless of their confirmation times. */
  public boolean hasSameState(ClusterView other) {
    return state.stateUUID().equals(other.state.stateUUID());
  }

  /** Returns whether both belong to the same cluster; a rebuilt cluster is another one. */
  public boolean isSameCluster(ClusterView other) {
    return state.metadata().clusterUUID().equals(other.state.metadata().clusterUUID());
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
        + (isPartial ? ", lenient]" : "]");
  }
}
