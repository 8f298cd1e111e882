package dev.weir.cluster.bounds;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.ClusterState;
import org.opensearch.core.index.Index;

/**
 * The bounds that hold under one cluster state. Immutable.
 *
 * @param state the state
 * @param byName by index name
 * @param guesses earlier bounds of other indices, by name and field; their range may have grown
 */
public record KnownBounds(
    ClusterState state,
    Map<String, ConfirmableBounds> byName,
    Map<String, Map<String, DateBounds>> guesses) {
  /**
   * Bounds, and the nodes that can confirm them.
   *
   * @param nodeIds the nodes with a copy: while each of these has applied exactly this state,
   *     nothing was written
   */
  public record ConfirmableBounds(IndexBounds index, Set<String> nodeIds) {}

  /** No bounds. */
  public static final KnownBounds NONE =
      new KnownBounds(ClusterState.EMPTY_STATE, Map.of(), Map.of());

  /** Returns the bounds that an index has, or had at some time; empty if unknown. */
  public Map<String, DateBounds> guessOf(Index index) {
    ConfirmableBounds known = boundsOf(index);
    return known != null ? known.index().fields() : guesses.getOrDefault(index.getName(), Map.of());
  }

  /** Returns the bounds of an index; null if unknown. */
  public @Nullable ConfirmableBounds boundsOf(Index index) {
    ConfirmableBounds known = byName.get(index.getName());
    return known != null && known.index().uuid().equals(index.getUUID()) ? known : null;
  }

  /** Adds the elected cluster manager to the nodes; null if there is none. */
  public @Nullable Set<String> addClusterManager(Set<String> nodeIds) {
    String manager = state.nodes().getClusterManagerNodeId();
    if (manager == null) {
      return null;
    }
    Set<String> all = new HashSet<>(nodeIds);
    all.add(manager);
    return all;
  }
}
