package dev.weir.core.actions.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ShardTarget;
import dev.weir.core.actions.explain.RecentRejections.RequestIdentity;
import dev.weir.model.NodeCallType;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.model.ShardRoutingRecorder.Outcome;
import dev.weir.model.ShardRoutingRecorder.Reason;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.opensearch.core.index.shard.ShardId;

final class RequestRoutingDecisionsTest {
  private static final List<ShardCopy> COPIES =
      List.of(
          new ShardCopy("n1", "", false, false, Map.of()),
          new ShardCopy("n2", "", true, false, Map.of()));

  private long now = 1_000_000;
  private final RequestRoutingDecisions decisions =
      new RequestRoutingDecisions(
          new RecordingContext(() -> now, () -> id -> id.equals("n1") ? "first" : id),
          (copies, count, phase) -> {},
          new RequestIdentity(5, "mine", "acme", "POST /logs/_search"),
          "search",
          1_000);

  private ShardRoutingRecorder rank(int shard) {
    ShardTarget target = new ShardTarget(new ShardId("logs", "u", shard), List.of(COPIES));
    return decisions.newScorer(NodeCallType.HITS).recordRanking(target, COPIES, true);
  }

  private static PrunedIndexRecord pruned(int number) {
    return new PrunedIndexRecord("old-" + number, 2, "@timestamp", 0, 86_400_000);
  }

  @SuppressWarnings("unchecked") // as RoutingDecisionFormatter makes it
  private static List<Map<String, Object>> list(Map<String, Object> map, String key) {
    return (List<Map<String, Object>>) Objects.requireNonNull(map.get(key), key);
  }

  @Test
  void describesTheRequest() {
    assertThat(decisions.toMap())
        .containsEntry("request_id", "5")
        .containsEntry("opaque_id", "mine")
        .containsEntry("tenant", "acme")
        .containsEntry("request_line", "POST /logs/_search")
        .containsEntry("action", "search")
        .containsEntry("started_at", "1970-01-01T00:00:01Z")
        .containsEntry("shards", List.of())
        .doesNotContainKeys("sampled", "pruned_indices");
  }

  @Test
  void namesNodesAndMarksThePrimary() {
    rank(0);
    Map<String, Object> shard = list(decisions.toMap(), "shards").getFirst();
    assertThat(list(shard, "candidates")).extracting("name").containsExactly("first", "n2");
    assertThat(list(shard, "candidates")).extracting("primary").containsExactly(false, true);
    assertThat(shard).containsEntry("winner", "");
  }

  @Test
  void measuresCallsThatAreUnderWayUpToNow() {
    ShardRoutingRecorder shard = rank(0);
    now += 2_000_000;
    shard.recordAttempt("query", "n1", Reason.BEST_SCORE);
    now += 5_000_000;
    Map<String, Object> call =
        list(list(decisions.toMap(), "shards").getFirst(), "calls").getFirst();
    assertThat(call)
        .containsEntry("after_ms", 2.0)
        .containsEntry("took_ms", 5.0)
        .containsEntry("outcome", "in-flight");
    shard.recordOutcome("n1", Outcome.ANSWERED);
    now += 9_000_000;
    assertThat(list(list(decisions.toMap(), "shards").getFirst(), "calls"))
        .extracting("took_ms")
        .containsExactly(5.0);
  }

  @Test
  void endsTheNewestCallOfANode() {
    ShardRoutingRecorder shard = rank(0);
    shard.recordAttempt("query", "n1", Reason.BEST_SCORE);
    shard.recordAttempt("fetch", "n1", Reason.BEST_SCORE);
    shard.recordOutcome("n1", Outcome.FAILED);
    shard.recordOutcome("unknown", Outcome.ANSWERED);
    assertThat(list(list(decisions.toMap(), "shards").getFirst(), "calls"))
        .extracting("outcome")
        .containsExactly("in-flight", "failed");
  }

  @Test
  void onlyTheUnusualIsRemarkable() {
    ShardRoutingRecorder shard = rank(0);
    shard.recordAttempt("query", "n1", Reason.BEST_SCORE);
    shard.recordAttempt("query", "n1", Reason.ONLY_COPY);
    shard.recordOutcome("n1", Outcome.ANSWERED);
    shard.recordOutcome("n1", Outcome.SUPERSEDED);
    assertThat(decisions.isRemarkable()).isFalse();
    shard.recordAttempt("query", "n2", Reason.EXPLORATION);
    assertThat(decisions.isRemarkable()).isTrue();
  }

  @Test
  void aRestartIsRemarkable() {
    rank(0).recordRestart(Set.of());
    assertThat(decisions.isRemarkable()).isTrue();
  }

  @Test
  void saysWhatPartOfTheShardsWasSampled() {
    decisions.recordSample(3, 12, 99);
    assertThat(decisions.toMap())
        .containsEntry("sampled", Map.of("shards", 3, "total_shards", 12, "seed", 99L));
  }

  @Test
  void keepsSomePrunedIndicesAndCountsTheOthers() {
    decisions.recordPrunedIndices(
        IntStream.range(0, 100).mapToObj(RequestRoutingDecisionsTest::pruned).toList());
    decisions.recordPrunedIndices(
        IntStream.range(100, 200).mapToObj(RequestRoutingDecisionsTest::pruned).toList());
    Map<String, Object> map = decisions.toMap();
    assertThat(list(map, "pruned_indices")).hasSize(128);
    assertThat(map).containsEntry("omitted_pruned_indices", 72);
    assertThat(list(map, "pruned_indices").getFirst())
        .containsEntry("index", "old-0")
        .containsEntry("shards", 2)
        .containsEntry("field", "@timestamp")
        .containsEntry("min", "1970-01-01T00:00:00Z")
        .containsEntry("max", "1970-01-02T00:00:00Z");
  }

  @Test
  void forgetsPrunedIndicesThatWereSearchedAfterAll() {
    decisions.recordPrunedIndices(List.of(pruned(1), pruned(2)));
    decisions.removePruned(List.of(pruned(1)));
    assertThat(decisions.prunedIndices()).containsExactly(pruned(2));
    assertThat(decisions.omittedPrunedIndices()).isZero();
    decisions.removePruned(List.of(pruned(2)));
    assertThat(decisions.toMap()).doesNotContainKey("pruned_indices");
  }

  @Test
  void aShardWithManyCopiesCountsAsMany() {
    assertThat(decisions.tryAddShard(128)).isTrue();
    assertThat(decisions.tryAddShard(0)).isFalse();
    assertThat(rank(7)).isSameAs(ShardRoutingRecorder.NONE);
    assertThat(decisions.omittedShards()).isEqualTo(2);
  }
}
