package dev.weir.core.actions.prune;

import dev.weir.cluster.bounds.CopyBoundsChecker.ExpectedCopy;
import dev.weir.cluster.bounds.CopyBoundsRegistry;
import dev.weir.cluster.bounds.KnownBounds;
import dev.weir.core.actions.explain.PrunedIndexRecord;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.opensearch.core.index.Index;

/**
 * A plan without pruned shards.
 *
 * @param plan the remaining plan
 * @param skippedShards the number of pruned shards
 * @param prunedIndices the pruned indices with the reasons
 * @param nodeIds the nodes with a copy of any shard that was pruned by its index's bounds
 * @param copiesByNode the copies by whose bounds the other shards were pruned, by node id
 * @param hasOtherCandidates whether more shards could be pruned, but asking for them costs more
 */
record PruningResult(
    SearchPlan plan,
    int skippedShards,
    List<PrunedIndexRecord> prunedIndices,
    Set<String> nodeIds,
    Map<String, List<ExpectedCopy>> copiesByNode,
    boolean hasOtherCandidates) {
  private static final int MIN_PRUNED_SHARDS = 4;

  /**
   * Prunes shards without a hit, but keeps the first if no other is left.
   *
   * @param copies the bounds of copies of indices that are not in {@code known}
   */
  static PruningResult prune(
      KnownBounds known,
      CopyBoundsRegistry copies,
      QueryTimeConstraints wanted,
      List<ShardScope> shards,
      SearchPlan plan) {
    CopyCandidates candidates = CopyCandidates.find(copies, known, wanted, shards, plan);
    PrunedShards pruned = new PrunedShards(known, wanted, shards, candidates.byOrdinal());
    SearchPlan rest = new SearchPlan(pruned.skipIn(plan.shards()), plan.rules());
    boolean one = rest.shardsToQuery().size() == 1; // a single shard is queried anyway
    return new PruningResult(
        one ? rest.withShards(rest.shards()) : rest,
        pruned.count(),
        pruned.indices(),
        pruned.nodeIds(),
        pruned.copiesByNode(),
        candidates.hasOthers());
  }

  /**
   * Returns the result without the question whether the remaining shards can match, unless most of
   * them probably have no hit.
   */
  PruningResult withCanMatchByGuess(
      KnownBounds known, QueryTimeConstraints wanted, List<ShardScope> shards) {
    List<ShardScope> remaining =
        plan.shardsToQuery().stream().map(shard -> shards.get(shard.ordinal())).toList();
    return !plan.rules().canMatchFirst() || isLikelyToPruneMost(known, wanted, remaining)
        ? this
        : new PruningResult(
            plan.withShards(plan.shards()),
            skippedShards,
            prunedIndices,
            nodeIds,
            copiesByNode,
            hasOtherCandidates);
  }

  /** Returns whether most of many shards have no hit, according to guesses. */
  static boolean isLikelyToPruneMost(
      KnownBounds known, QueryTimeConstraints wanted, List<ShardScope> shards) {
    Map<Index, Boolean> misses = new HashMap<>();
    int missed = 0;
    for (ShardScope shard : shards) {
      missed +=
          misses.computeIfAbsent(
                  shard.id().getIndex(),
                  index -> wanted.nonMatchingField(known.guessOf(index)) != null)
              ? 1
              : 0;
    }
    return missed >= MIN_PRUNED_SHARDS && 2 * missed >= shards.size();
  }
}
