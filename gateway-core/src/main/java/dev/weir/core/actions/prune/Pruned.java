package dev.weir.core.actions.prune;

import dev.weir.core.actions.explain.LeftOut;
import dev.weir.cluster.bounds.DateBounds;
import dev.weir.cluster.bounds.KnownBounds;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.core.reduce.SearchScope.ShardScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.opensearch.core.index.Index;

/**
 * A plan with shards left out.
 *
 * @param plan without them
 * @param skipped how many they are
 * @param indices theirs, and why
 * @param nodeIds nodes with a copy of any of them
 */
record Pruned(SearchPlan plan, int skipped, List<LeftOut> indices, Set<String> nodeIds) {
  private static final int WORTH_ASKING = 4;

  /** Leaves shards out that have no hit, but for the first when no other is left. */
  static Pruned of(
      KnownBounds known, WantedTimes wanted, List<ShardScope> shards, SearchPlan plan) {
    Map<Index, Optional<String>> missedBy = new HashMap<>();
    List<PlannedShard> lean = new ArrayList<>(plan.shards().size());
    Map<Index, Integer> left = new LinkedHashMap<>();
    int asked = 0;
    int first = -1;
    for (PlannedShard shard : plan.shards()) {
      Index index = shards.get(shard.ordinal()).id().getIndex();
      boolean skip =
          !shard.skip()
              && missedBy.computeIfAbsent(index, one -> missedBy(known, wanted, one)).isPresent();
      if (skip) {
        left.merge(index, 1, Integer::sum);
        first = first < 0 ? lean.size() : first;
      } else if (!shard.skip()) {
        asked++;
      }
      lean.add(skip ? shard.skip(true) : shard);
    }
    if (asked == 0 && first >= 0) {
      PlannedShard kept = lean.get(first).skip(false); // says what an empty answer looks like
      lean.set(first, kept);
      left.computeIfPresent(
          shards.get(kept.ordinal()).id().getIndex(),
          (one, count) -> count == 1 ? null : count - 1);
    }
    List<LeftOut> indices = new ArrayList<>(left.size());
    Set<String> nodeIds = new HashSet<>();
    int skipped = 0;
    for (Map.Entry<Index, Integer> one : left.entrySet()) {
      KnownBounds.Known bounds = Objects.requireNonNull(known.of(one.getKey()));
      String field = Objects.requireNonNull(missedBy.get(one.getKey())).orElseThrow();
      DateBounds times = Objects.requireNonNull(bounds.index().fields().get(field));
      indices.add(
          new LeftOut(one.getKey().getName(), one.getValue(), field, times.min(), times.max()));
      nodeIds.addAll(bounds.nodeIds());
      skipped += one.getValue();
    }
    SearchPlan rest = new SearchPlan(lean, plan.rules());
    boolean one = rest.asked().size() == 1; // it is asked anyway
    return new Pruned(one ? rest.with(lean) : rest, skipped, indices, nodeIds);
  }

  /** Whether most of many shards have nothing, as far as can be guessed. */
  static boolean likelyMost(KnownBounds known, WantedTimes wanted, List<ShardScope> shards) {
    Map<Index, Boolean> misses = new HashMap<>();
    int missed = 0;
    for (ShardScope shard : shards) {
      missed +=
          misses.computeIfAbsent(
                  shard.id().getIndex(), index -> wanted.missedBy(known.guess(index)) != null)
              ? 1
              : 0;
    }
    return missed >= WORTH_ASKING && 2 * missed >= shards.size();
  }

  private static Optional<String> missedBy(KnownBounds known, WantedTimes wanted, Index index) {
    KnownBounds.Known bounds = known.of(index);
    return bounds == null
        ? Optional.empty()
        : Optional.ofNullable(wanted.missedBy(bounds.index().fields()));
  }
}
