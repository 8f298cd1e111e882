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
  private final long readAtNanos;
  private final boolean lenient;
  private final Derived derived;

  /** What is derived from a state, shared by all views of it. */
  private record Derived(ViewSettings settings, OperationRouting routing, FreeTargets free) {}

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
        Self.UNNAMED.in(state),
        nodes,
        readAtNanos,
        lenient,
        derive(ViewSettings.of(state.metadata().settings()), null));
  }

  private ClusterView(
      ClusterState state,
      Map<String, NodeEndpoint> nodes,
      long readAtNanos,
      boolean lenient,
      Derived derived) {
    this.state = state;
    this.nodes = Map.copyOf(nodes);
    this.readAtNanos = readAtNanos;
    this.lenient = lenient;
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
      ViewSettings settings) {
    return new ClusterView(read, endpoints, nowNanos, leniently, derive(settings, this));
  }

  /** The same picture, confirmed again. */
  ClusterView confirmed(long nowNanos) {
    return new ClusterView(state, nodes, nowNanos, lenient, derived);
  }

  /** The same state with other endpoints and settings, both learned from the nodes themselves. */
  ClusterView with(Map<String, NodeEndpoint> endpoints, ViewSettings settings) {
    return new ClusterView(
        state,
        endpoints,
        readAtNanos,
        lenient,
        settings.equals(derived.settings) ? derived : derive(settings, this));
  }

  private static Derived derive(ViewSettings settings, @Nullable ClusterView previous) {
    return new Derived(
        settings,
        previous != null && previous.derived.settings.equals(settings)
            ? previous.derived.routing
            : settings.operationRouting(),
        new FreeTargets());
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
  public long readAtNanos() {
    return readAtNanos;
  }

  /** Whether parts of it that the gateway does not know were left out. */
  public boolean lenient() {
    return lenient;
  }

  /** Whether both show the same cluster state, whenever they were confirmed. */
  public boolean sameStateAs(ClusterView other) {
    return state.stateUUID().equals(other.state.stateUUID());
  }

  /** Whether both are of one cluster; one that was built anew is another. */
  public boolean sameClusterAs(ClusterView other) {
    return state.metadata().clusterUUID().equals(other.state.metadata().clusterUUID());
  }

  /** What a coordinator reads from the cluster's settings. */
  public ViewSettings settings() {
    return derived.settings;
  }

  /** OpenSearch's own routing, with this view's settings. */
  public OperationRouting routing() {
    return derived.routing;
  }

  /** Targets of requests without a preference, made when first asked for. */
  FreeTargets freeTargets() {
    return derived.free;
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
        + (lenient ? ", lenient]" : "]");
  }
}
