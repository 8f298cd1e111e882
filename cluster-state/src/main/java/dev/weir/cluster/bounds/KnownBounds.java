package dev.weir.cluster.bounds;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.core.index.Index;

/**
 * The bounds that hold under one state of the cluster. Immutable.
 *
 * @param state the state
 * @param byName by index name
 * @param guesses what other indices had at some time, by name and field: they may have more by now
 */
public record KnownBounds(
    ClusterState state,
    Map<String, ConfirmableBounds> byName,
    Map<String, Map<String, DateBounds>> guesses) {
  /**
   * Bounds, and who can say that they hold.
   *
   * @param nodeIds nodes with a copy: while all of these have applied this state and none after it,
   *     nothing was written
   */
  public record ConfirmableBounds(IndexBounds index, Set<String> nodeIds) {}

  /** Nothing is known. */
  static final KnownBounds NONE = new KnownBounds(ClusterState.EMPTY_STATE, Map.of(), Map.of());

  /** What was learned and holds under this state. */
  static KnownBounds forState(ClusterState state, Iterable<IndexBounds> learned) {
    Map<String, ConfirmableBounds> holding = new HashMap<>();
    Map<String, Map<String, DateBounds>> guesses = new HashMap<>();
    for (IndexBounds one : learned) {
      IndexMetadata index = state.metadata().index(one.name());
      if (index == null || !one.uuid().equals(index.getIndexUUID())) {
        continue;
      }
      Set<String> holders =
          one.isValidFor(state, index)
              ? SealedIndexChecker.nodesHolding(state, index, false)
              : null;
      if (holders == null) {
        guesses.put(one.name(), one.fields());
      } else {
        holding.put(one.name(), new ConfirmableBounds(one, Set.copyOf(holders)));
      }
    }
    return new KnownBounds(state, Map.copyOf(holding), Map.copyOf(guesses));
  }

  /** What an index has, or had at some time; nothing where that is not known. */
  public Map<String, DateBounds> guessOf(Index index) {
    ConfirmableBounds known = boundsOf(index);
    return known != null ? known.index().fields() : guesses.getOrDefault(index.getName(), Map.of());
  }

  /** What is known of an index; null for nothing. */
  public @Nullable ConfirmableBounds boundsOf(Index index) {
    ConfirmableBounds known = byName.get(index.getName());
    return known != null && known.index().uuid().equals(index.getUUID()) ? known : null;
  }

  /** These nodes, and the elected cluster manager; null when there is none. */
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
