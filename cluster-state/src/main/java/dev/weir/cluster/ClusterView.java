package dev.weir.cluster;

import dev.weir.model.NodeEndpoint;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.routing.OperationRouting;

/**
 * One immutable picture of the cluster. Building one costs nothing that grows with the cluster;
 * what is derived from it is derived when it is first asked for.
 */
public final class ClusterView {
  private final ClusterState state;
  private final Map<String, NodeEndpoint> nodes;
  private final long confirmedAtNanos;
  private final boolean isPartial;
  private final Derived derived;

  /** What is derived from a state, shared by all views of it. */
  private record Derived(
      ClusterViewSettings settings, OperationRouting routing, ShardTargetCache targetCache) {}

  /**
   * Makes a view whose settings are those of the state alone.
   *
   * @param state OpenSearch's own state, for its own resolver and routing classes
   * @param nodes every node by id, with its REST address once known
   * @param readAtNanos when it was last confirmed, {@link System#nanoTime()}
   * @param lenient whether parts of it that the gateway does not know were left out
   */
  public ClusterView(
      ClusterState state, Map<String, NodeEndpoint> nodes, long readAtNanos, boolean lenient) {
    this(
        GatewayNode.UNNAMED.addTo(state),
        nodes,
        readAtNanos,
        lenient,
        derive(ClusterViewSettings.of(state.metadata().settings()), null));
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

  /** The view of nothing: no nodes, no indices. */
  public static ClusterView empty(long nowNanos) {
    return new ClusterView(ClusterState.EMPTY_STATE, Map.of(), nowNanos, false);
  }

  /** The view that follows this one. */
  ClusterView next(
      ClusterState read,
      Map<String, NodeEndpoint> endpoints,
      long nowNanos,
      boolean leniently,
      ClusterViewSettings settings) {
    return new ClusterView(read, endpoints, nowNanos, leniently, derive(settings, this));
  }

  /** The same picture, confirmed again. */
  ClusterView confirm(long nowNanos) {
    return new ClusterView(state, nodes, nowNanos, isPartial, derived);
  }

  /** The same state with other endpoints and settings, both learned from the nodes themselves. */
  ClusterView withEndpoints(Map<String, NodeEndpoint> endpoints, ClusterViewSettings settings) {
    return new ClusterView(
        state,
        endpoints,
        confirmedAtNanos,
        isPartial,
        settings.equals(derived.settings) ? derived : derive(settings, this));
  }

  private static Derived derive(ClusterViewSettings settings, @Nullable ClusterView previous) {
    return new Derived(
        settings,
        previous != null && previous.derived.settings.equals(settings)
            ? previous.derived.routing
            : settings.operationRouting(),
        new ShardTargetCache());
  }

  /** OpenSearch's own state; its local node is the gateway, as a coordinating-only node. */
  public ClusterState state() {
    return state;
  }

  /** Every node by id, with its REST address once known; never the gateway itself. */
  public Map<String, NodeEndpoint> nodes() {
    return nodes;
  }

  /** When it was last confirmed, {@link System#nanoTime()}. */
  public long confirmedAtNanos() {
    return confirmedAtNanos;
  }

  /** Whether parts of it that the gateway does not know were left out. */
  public boolean isPartial() {
    return isPartial;
  }

  /** Whether both show the same cluster state, whenever they were confirmed. */
  public boolean hasSameState(ClusterView other) {
    return state.stateUUID().equals(other.state.stateUUID());
  }

  /** Whether both belong to one cluster; a rebuilt cluster is another one. */
  public boolean isSameCluster(ClusterView other) {
    return state.metadata().clusterUUID().equals(other.state.metadata().clusterUUID());
  }

  /** What a coordinator reads from the cluster's settings. */
  public ClusterViewSettings settings() {
    return derived.settings;
  }

  /** OpenSearch's own routing, with this view's settings. */
  public OperationRouting routing() {
    return derived.routing;
  }

  /** Targets of requests without a preference, made when first asked for. */
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
