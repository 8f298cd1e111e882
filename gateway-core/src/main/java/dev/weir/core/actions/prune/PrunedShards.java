package dev.weir.core.actions.prune;

import dev.weir.cluster.bounds.CopyBoundsChecker.ExpectedCopy;
import dev.weir.cluster.bounds.DateBounds;
import dev.weir.cluster.bounds.KnownBounds;
import dev.weir.core.actions.explain.PrunedIndexRecord;
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
 * The shards of one search that can't have a hit, by the bounds of their index or by those of a
 * copy. Not safe for several threads.
 */
final class PrunedShards {
  private final KnownBounds known;
  private final QueryTimeConstraints wanted;
  private final List<ShardScope> shards;
  private final Map<Integer, ExpectedCopy> byCopy;
  private final Map<Index, Integer> countByIndex = new LinkedHashMap<>();

  /** The field of each index by which its bounds rule out a hit; empty for none. */
  private final Map<Index, Optional<String>> missedFields = new HashMap<>();

  /**
   * Prunes nothing yet.
   *
   * @param byCopy the copies by whose bounds a shard has no hit, by the shard's ordinal
   */
  PrunedShards(
      KnownBounds known,
      QueryTimeConstraints wanted,
      List<ShardScope> shards,
      Map<Integer, ExpectedCopy> byCopy) {
    this.known = known;
    this.wanted = wanted;
    this.shards = shards;
    this.byCopy = new HashMap<>(byCopy);
  }

  /** Returns the shards, those without a hit skipped; keeps the first if no other is left. */
  List<PlannedShard> skipIn(List<PlannedShard> planned) {
    List<PlannedShard> all = new ArrayList<>(planned.size());
    boolean anyLeft = false;
    int first = -1;
    for (PlannedShard shard : planned) {
      boolean skip = prune(shard);
      if (skip && first < 0) {
        first = all.size();
      }
      anyLeft |= !skip && !shard.skip();
      all.add(skip ? shard.skip(true) : shard);
    }
    if (!anyLeft && first >= 0) {
      all.set(first, keep(all.get(first))); // gives an empty response its shape
    }
    return all;
  }

  /** Prunes a shard if it can't have a hit; returns whether it did. */
  private boolean prune(PlannedShard shard) {
    Index index = indexOf(shard);
    boolean byIndex =
        !shard.skip() && missedFields.computeIfAbsent(index, this::nonMatchingField).isPresent();
    if (byIndex) {
      countByIndex.merge(index, 1, Integer::sum);
    }
    return byIndex || byCopy.containsKey(shard.ordinal());
  }

  private PlannedShard keep(PlannedShard pruned) {
    if (byCopy.remove(pruned.ordinal()) == null) {
      countByIndex.computeIfPresent(
          indexOf(pruned), (index, count) -> count == 1 ? null : count - 1);
    }
    return pruned.skip(false);
  }

  private Index indexOf(PlannedShard shard) {
    return shards.get(shard.ordinal()).id().getIndex();
  }

  private Optional<String> nonMatchingField(Index index) {
    KnownBounds.ConfirmableBounds bounds = known.boundsOf(index);
    return bounds == null
        ? Optional.empty()
        : Optional.ofNullable(wanted.nonMatchingField(bounds.index().fields()));
  }

  /** How many shards are pruned. */
  int count() {
    return byCopy.size() + countByIndex.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The indices of pruned shards, with the reasons. */
  List<PrunedIndexRecord> indices() {
    List<PrunedIndexRecord> indices = new ArrayList<>(countByIndex.size());
    countByIndex.forEach((index, count) -> indices.add(describe(index, count)));
    indices.addAll(describe(byCopy.values()));
    return indices;
  }

  private PrunedIndexRecord describe(Index index, int count) {
    String field = Objects.requireNonNull(missedFields.get(index)).orElseThrow();
    DateBounds times = Objects.requireNonNull(boundsOf(index).index().fields().get(field));
    return new PrunedIndexRecord(index.getName(), count, field, times.min(), times.max());
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

  /** The nodes with a copy of any shard that was pruned by the bounds of its index. */
  Set<String> nodeIds() {
    Set<String> nodeIds = new HashSet<>();
    countByIndex.keySet().forEach(index -> nodeIds.addAll(boundsOf(index).nodeIds()));
    return nodeIds;
  }

  private KnownBounds.ConfirmableBounds boundsOf(Index index) {
    return Objects.requireNonNull(known.boundsOf(index));
  }

  /** The copies by whose bounds shards were pruned, by node id. */
  Map<String, List<ExpectedCopy>> copiesByNode() {
    return byCopy.values().stream().collect(Collectors.groupingBy(copy -> copy.known().nodeId()));
  }
}
