package dev.weir.core.actions.prune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterStates;
import dev.weir.cluster.bounds.CopyBounds;
import dev.weir.cluster.bounds.CopyBoundsRegistry;
import dev.weir.cluster.bounds.DateBounds;
import dev.weir.cluster.bounds.IndexBounds;
import dev.weir.cluster.bounds.KnownBounds;
import dev.weir.cluster.generation.ReaderGeneration;
import dev.weir.core.actions.explain.PrunedIndexRecord;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.pruning.QueryConstraint;
import org.opensearch.action.search.pruning.RangeQueryConstraint;
import org.opensearch.core.index.shard.ShardId;

class PruningResultTest {
  private static final OriginalIndices ALL = new OriginalIndices(new SearchRequest("i*"));
  private static final QueryTimeConstraints FROM_25 =
      new QueryTimeConstraints(List.of(from(25)), () -> 0);

  /** Index i0 has times 0 to 9, i1 10 to 19 and so on; each has two shards. */
  private static KnownBounds known(int... indices) {
    Map<String, KnownBounds.ConfirmableBounds> known = new HashMap<>();
    for (int i : indices) {
      known.put(
          "i" + i,
          new KnownBounds.ConfirmableBounds(
              new IndexBounds(
                  "i" + i,
                  "uuid-" + i,
                  new IndexBounds.Versions(1, 1, List.of(1L, 1L)),
                  Map.of("t", new DateBounds(10L * i, 10L * i + 9, "epoch_millis")),
                  Instant.EPOCH,
                  true),
              Set.of("n" + i, "n" + (i + 1))));
    }
    return new KnownBounds(ClusterStates.ofNodes(2).build(1, 1), known, Map.of());
  }

  private static PruningResult prune(KnownBounds known, long from, int... skipped) {
    List<ShardScope> shards = new ArrayList<>();
    List<PlannedShard> planned = new ArrayList<>();
    for (int ordinal = 0; ordinal < 6; ordinal++) {
      int index = ordinal / 2;
      shards.add(
          new ShardScope(new ShardId("i" + index, "uuid-" + index, ordinal % 2), ALL, null, null));
      int one = ordinal;
      boolean skip = Arrays.stream(skipped).anyMatch(other -> other == one);
      planned.add(new PlannedShard(ordinal, List.of("n" + index), skip));
    }
    QueryConstraint wanted =
        new RangeQueryConstraint("t", from, null, true, true, null, null, null);
    return PruningResult.prune(
        known,
        new CopyBoundsRegistry(),
        new QueryTimeConstraints(List.of(wanted), () -> 0),
        shards,
        new SearchPlan(planned, new SearchPlan.SearchRules(5, true, false, true)));
  }

  private static List<Integer> asked(PruningResult pruned) {
    return pruned.plan().shardsToQuery().stream().map(PlannedShard::ordinal).toList();
  }

  @Test
  void leaveOutIndicesWithoutMatches() {
    PruningResult pruned = prune(known(0, 1, 2), 15);
    assertThat(asked(pruned)).containsExactly(2, 3, 4, 5);
    assertThat(pruned.plan().shards()).hasSize(6);
    assertThat(pruned.plan().rules().canMatchFirst()).isTrue();
    assertThat(pruned.skippedShards()).isEqualTo(2);
    assertThat(pruned.prunedIndices()).containsExactly(new PrunedIndexRecord("i0", 2, "t", 0, 9));
    assertThat(pruned.nodeIds()).containsExactlyInAnyOrder("n0", "n1");
  }

  @Test
  void searchUnknownIndices() {
    PruningResult pruned = prune(known(1), 25);
    assertThat(asked(pruned)).containsExactly(0, 1, 4, 5);
    assertThat(asked(prune(known(), 25))).hasSize(6);
  }

  @Test
  void asksOneShardAtLeast() {
    PruningResult pruned = prune(known(0, 1, 2), 100);
    assertThat(asked(pruned)).containsExactly(0);
    assertThat(pruned.skippedShards()).isEqualTo(5);
    assertThat(pruned.prunedIndices())
        .extracting(PrunedIndexRecord::shards)
        .containsExactly(1, 2, 2);
    assertThat(pruned.plan().rules().canMatchFirst()).as("it is asked anyway").isFalse();
  }

  @Test
  void guessesWhetherItPaysToAskWhetherShardsCanMatch() {
    assertThat(likelyMost(known(0, 1, 2), 25)).isTrue();
    assertThat(likelyMost(known(0, 1, 2), 15)).as("two of six").isFalse();
    assertThat(likelyMost(known(), 25)).isFalse();
    KnownBounds guessed =
        new KnownBounds(
            known().state(),
            Map.of(),
            Map.of(
                "i0", Map.of("t", new DateBounds(0, 9, "")),
                "i1", Map.of("t", new DateBounds(10, 19, ""))));
    assertThat(likelyMost(guessed, 25)).isTrue();
    assertThat(asked(prune(guessed, 25))).as("a guess leaves nothing out").hasSize(6);
  }

  private static boolean likelyMost(KnownBounds known, long from) {
    List<ShardScope> shards = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      shards.add(new ShardScope(new ShardId("i" + i / 2, "uuid-" + i / 2, i % 2), ALL, null, null));
    }
    return PruningResult.isLikelyToPruneMost(
        known, new QueryTimeConstraints(List.of(from(from)), () -> 0), shards);
  }

  private static QueryConstraint from(long from) {
    return new RangeQueryConstraint("t", from, null, true, true, null, null, null);
  }

  @Test
  void keepShardsSkippedForOtherReasons() {
    PruningResult pruned = prune(known(0, 1), 25, 0, 4);
    assertThat(asked(pruned)).containsExactly(5);
    assertThat(pruned.skippedShards()).isEqualTo(3);
    assertThat(asked(prune(known(0, 1, 2), 100, 0))).containsExactly(1);
  }

  /** Six shards as above, each with a copy on nodes a or b. */
  private static PruningResult pruneCopies(KnownBounds known, CopyBoundsRegistry copies) {
    List<ShardScope> shards = new ArrayList<>();
    List<PlannedShard> planned = new ArrayList<>();
    for (int ordinal = 0; ordinal < 6; ordinal++) {
      shards.add(new ShardScope(shard(ordinal), ALL, null, null));
      planned.add(new PlannedShard(ordinal, ordinal < 4 ? List.of("a", "b") : List.of("b"), false));
    }
    return PruningResult.prune(
        known,
        copies,
        FROM_25,
        shards,
        new SearchPlan(planned, new SearchPlan.SearchRules(5, true, false, true)));
  }

  private static ShardId shard(int ordinal) {
    return new ShardId("i" + ordinal / 2, "uuid-" + ordinal / 2, ordinal % 2);
  }

  private static CopyBounds copy(int ordinal, String nodeId, long min, long max) {
    return new CopyBounds(
        shard(ordinal),
        nodeId,
        new ReaderGeneration("run", 1, 1, 1),
        Map.of("t", "epoch_millis"),
        Map.of("t", new DateBounds(min, max, "epoch_millis")));
  }

  @Test
  void leaveOutCopiesThatWouldBeQueriedFirst() {
    CopyBoundsRegistry copies = new CopyBoundsRegistry();
    copies.store(copy(0, "a", 0, 24));
    copies.store(copy(1, "b", 0, 24)); // not the copy that the search would query
    copies.store(copy(2, "a", 10, 25)); // has a match
    copies.store(copy(3, "a", 3, 17));
    copies.store(copy(4, "b", 0, 5)); // the only one on its node: no message pays off
    PruningResult pruned = pruneCopies(known(), copies);
    assertThat(asked(pruned)).containsExactly(1, 2, 4, 5);
    assertThat(pruned.skippedShards()).isEqualTo(2);
    assertThat(pruned.copiesByNode()).containsOnlyKeys("a");
    assertThat(pruned.copiesByNode().get("a"))
        .extracting(copy -> copy.known().shard())
        .containsExactlyInAnyOrder(shard(0), shard(3));
    assertThat(pruned.nodeIds()).isEmpty();
    assertThat(pruned.hasOtherCandidates()).isTrue();
    assertThat(pruned.prunedIndices())
        .containsExactly(
            new PrunedIndexRecord("i0", 1, "t", 0, 24), new PrunedIndexRecord("i1", 1, "t", 3, 17));
  }

  @Test
  void askForNoCopyOfASealedIndex() {
    CopyBoundsRegistry copies = new CopyBoundsRegistry();
    for (int ordinal = 0; ordinal < 4; ordinal++) {
      copies.store(copy(ordinal, "a", 0, 24));
    }
    PruningResult pruned = pruneCopies(known(0), copies);
    assertThat(asked(pruned)).containsExactly(4, 5);
    assertThat(pruned.skippedShards()).isEqualTo(4);
    assertThat(pruned.copiesByNode().get("a")).hasSize(2);
    assertThat(pruned.nodeIds()).containsExactlyInAnyOrder("n0", "n1");
    assertThat(pruned.hasOtherCandidates()).isFalse();
  }

  @Test
  void asksOneShardAtLeastByCopies() {
    CopyBoundsRegistry copies = new CopyBoundsRegistry();
    for (int ordinal = 0; ordinal < 6; ordinal++) {
      copies.store(copy(ordinal, ordinal < 4 ? "a" : "b", 0, 24));
    }
    PruningResult pruned = pruneCopies(known(), copies);
    assertThat(asked(pruned)).containsExactly(0);
    assertThat(pruned.skippedShards()).isEqualTo(5);
    assertThat(pruned.copiesByNode().get("a")).hasSize(3);
    assertThat(pruned.copiesByNode().get("b")).hasSize(2);
  }

  @Test
  void asksTheRemainingShardsFirstIfMostHaveNoHit() {
    CopyBoundsRegistry copies = new CopyBoundsRegistry();
    copies.store(copy(0, "a", 0, 24));
    copies.store(copy(1, "a", 0, 24));
    PruningResult pruned = pruneCopies(known(), copies);
    assertThat(pruned.plan().rules().canMatchFirst()).isTrue();
    List<ShardScope> shards = new ArrayList<>();
    for (int ordinal = 0; ordinal < 6; ordinal++) {
      shards.add(new ShardScope(shard(ordinal), ALL, null, null));
    }
    PruningResult unknown = pruned.withCanMatchByGuess(known(), FROM_25, shards);
    assertThat(unknown.plan().rules().canMatchFirst()).isFalse();
    assertThat(asked(unknown)).containsExactly(2, 3, 4, 5);
    assertThat(unknown.copiesByNode()).isEqualTo(pruned.copiesByNode());
    PruningResult most =
        pruned.withCanMatchByGuess(
            known(1, 2), new QueryTimeConstraints(List.of(from(90)), () -> 0), shards);
    assertThat(most.plan().rules().canMatchFirst()).isTrue();
  }
}
