package dev.weir.core.actions.prune;

import dev.weir.cluster.bounds.CopyBoundsChecker.ExpectedCopy;
import dev.weir.cluster.bounds.CopyBoundsRegistry;
import dev.weir.cluster.bounds.DateBounds;
import dev.weir.cluster.bounds.KnownBounds;
import dev.weir.core.actions.explain.PrunedIndexRecord;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
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
    Map<Integer, ExpectedCopy> byCopy = new HashMap<>(candidates.byOrdinal());
    Map<Index, Optional<String>> missedBy = new HashMap<>();
    List<PlannedShard> remaining = new ArrayList<>(plan.shards().size());
    Map<Index, Integer> left = new LinkedHashMap<>();
    int asked = 0;
    int first = -1;
    for (PlannedShard shard : plan.shards()) {
      Index index = shards.get(shard.ordinal()).id().getIndex();
      boolean byIndex =
          !shard.skip()
              && missedBy
                  .computeIfAbsent(index, one -> nonMatchingField(known, wanted, one))
                  .isPresent();
      boolean skip = byIndex || byCopy.containsKey(shard.ordinal());
      if (skip) {
        first = first < 0 ? remaining.size() : first;
        if (byIndex) {
          left.merge(index, 1, Integer::sum);
        }
      } else if (!shard.skip()) {
        asked++;
      }
      remaining.add(skip ? shard.skip(true) : shard);
    }
    if (asked == 0 && first >= 0) {
      PlannedShard kept = remaining.get(first).skip(false); // gives an empty response its shape
      remaining.set(first, kept);
      if (byCopy.remove(kept.ordinal()) == null) {
        left.computeIfPresent(
            shards.get(kept.ordinal()).id().getIndex(),
            (one, count) -> count == 1 ? null : count - 1);
      }
    }
    List<PrunedIndexRecord> indices = new ArrayList<>(left.size());
    Set<String> nodeIds = new HashSet<>();
    int skipped = byCopy.size();
    for (Map.Entry<Index, Integer> one : left.entrySet()) {
      KnownBounds.ConfirmableBounds bounds = Objects.requireNonNull(known.boundsOf(one.getKey()));
      String field = Objects.requireNonNull(missedBy.get(one.getKey())).orElseThrow();
      DateBounds times = Objects.requireNonNull(bounds.index().fields().get(field));
      indices.add(
          new PrunedIndexRecord(
              one.getKey().getName(), one.getValue(), field, times.min(), times.max()));
      nodeIds.addAll(bounds.nodeIds());
      skipped += one.getValue();
    }
    indices.addAll(describe(byCopy.values()));
    SearchPlan rest = new SearchPlan(remaining, plan.rules());
    boolean one = rest.shardsToQuery().size() == 1; // a single shard is queried anyway
    return new PruningResult(
        one ? rest.withShards(remaining) : rest,
        skipped,
        indices,
        nodeIds,
        byCopy.values().stream().collect(Collectors.groupingBy(copy -> copy.known().nodeId())),
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

  /** Returns the indices of copies, each with the range of all of its copies. */
  private static Collection<PrunedIndexRecord> describe(Collection<ExpectedCopy> copies) {
    Map<String, PrunedIndexRecord> byName = new TreeMap<>();
    for (ExpectedCopy copy : copies) {
      DateBounds times = Objects.requireNonNull(copy.known().fields().get(copy.field()));
      byName.merge(
          copy.known().shard().getIndexName(),
          new PrunedIndexRecord(
              copy.known().shard().getIndexName(), 1, copy.field(), times.min(), times.max()),
          (a, b) ->
              new PrunedIndexRecord(
                  a.index(),
                  a.shards() + b.shards(),
                  a.field(),
                  Math.min(a.minValue(), b.minValue()),
                  Math.max(a.maxValue(), b.maxValue())));
    }
    return byName.values();
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

  private static Optional<String> nonMatchingField(
      KnownBounds known, QueryTimeConstraints wanted, Index index) {
    KnownBounds.ConfirmableBounds bounds = known.boundsOf(index);
    return bounds == null
        ? Optional.empty()
        : Optional.ofNullable(wanted.nonMatchingField(bounds.index().fields()));
  }
}
