package dev.weir.core.actions.prune;

import dev.weir.cluster.bounds.CopyBounds;
import dev.weir.cluster.bounds.CopyBoundsChecker.ExpectedCopy;
import dev.weir.cluster.bounds.CopyBoundsRegistry;
import dev.weir.cluster.bounds.KnownBounds;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shards of indices that take writes which a search may leave out if their nodes confirm it.
 *
 * @param byOrdinal the copy that the search would query first, by the shard's ordinal
 * @param hasOthers whether there are more such shards, for which no node is asked: a message to a
 *     node has to save two queries there
 */
record CopyCandidates(Map<Integer, ExpectedCopy> byOrdinal, boolean hasOthers) {
  private static final int MIN_COPIES_ON_NODE = 2;

  /**
   * Finds the candidates among the shards of a plan.
   *
   * @param known shards of indices that are left out by these bounds are no candidates
   */
  static CopyCandidates find(
      CopyBoundsRegistry copies,
      KnownBounds known,
      QueryTimeConstraints wanted,
      List<ShardScope> shards,
      SearchPlan plan) {
    Map<Integer, ExpectedCopy> found = new HashMap<>();
    if (copies.isEmpty()) {
      return new CopyCandidates(found, false);
    }
    Map<String, Integer> countByNode = new HashMap<>();
    for (PlannedShard shard : plan.shards()) {
      ShardScope scope = shards.get(shard.ordinal());
      if (shard.skip()
          || shard.nodeIds().isEmpty()
          || known.boundsOf(scope.id().getIndex()) != null) {
        continue;
      }
      ExpectedCopy copy = expect(copies.find(scope.id(), shard.nodeIds().getFirst()), wanted);
      if (copy != null) {
        found.put(shard.ordinal(), copy);
        countByNode.merge(copy.known().nodeId(), 1, Integer::sum);
      }
    }
    int all = found.size();
    found
        .values()
        .removeIf(copy -> countByNode.getOrDefault(copy.known().nodeId(), 0) < MIN_COPIES_ON_NODE);
    return new CopyCandidates(found, found.size() < all);
  }

  private static @Nullable ExpectedCopy expect(
      @Nullable CopyBounds copy, QueryTimeConstraints wanted) {
    QueryTimeConstraints.MissedRange missed =
        copy == null ? null : wanted.findMissedRange(copy.fields());
    return copy == null || missed == null
        ? null
        : new ExpectedCopy(copy, missed.field(), missed.times()::isDisjointFrom);
  }
}
