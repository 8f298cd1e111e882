package dev.weir.core.actions.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ShardTarget;
import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Phase;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.model.ShardRoutingRecorder.Outcome;
import dev.weir.model.ShardRoutingRecorder.Reason;
import dev.weir.routing.ReplicaSelector;
import dev.weir.routing.ScoredCopy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.core.index.shard.ShardId;

class RecentRoutingDecisionsTest {
  private static final ClusterView VIEW =
      new ClusterView(
          ClusterState.builder(new ClusterName("test")).build(),
          Map.<String, NodeEndpoint>of(),
          0,
          false);
  private static final List<ShardCopy> COPIES =
      List.of(
          new ShardCopy("n1", "", true, false, Map.of()),
          new ShardCopy("n2", "", false, false, Map.of()));

  private long now;
  private final RecentRoutingDecisions recent =
      new RecentRoutingDecisions(4, () -> VIEW, (copies, count, phase) -> {}, () -> now, () -> 0);

  private static RequestContext context(long id, String opaqueId) {
    return new RequestContext(
        Runnable::run, id, opaqueId.isEmpty() ? Map.of() : Map.of("X-Opaque-Id", opaqueId));
  }

  private ShardRoutingRecorder chose(RequestContext context, int shard) {
    ShardTarget target = new ShardTarget(new ShardId("i", "uuid", shard), List.of(COPIES));
    return recent.recordRanking(context, "search", target, COPIES, NodeCallType.HITS);
  }

  private Map<String, Object> found(String name) {
    return Objects.requireNonNull(recent.find(name), "got nothing (expected: " + name + ")");
  }

  @SuppressWarnings("unchecked") // as RoutingDecisionFormatter makes it
  private static List<Map<String, Object>> list(Map<String, Object> shown, String key) {
    return (List<Map<String, Object>>) Objects.requireNonNull(shown.get(key));
  }

  @Test
  void keepInternalRequestsApartFromClientRequests() {
    chose(context(7, "mine"), 3);
    RequestContext repeated = context(8, "mine");
    repeated.markInternal();
    assertThat(chose(repeated.newSubContext(), 3)).isSameAs(ShardRoutingRecorder.NONE);
    assertThat(found("mine")).containsEntry("request_id", "7");
    assertThat(recent.find("8")).isNull();
  }

  @Test
  void explainWhichCopiesWereUsedAndWhy() {
    ShardRoutingRecorder notes = chose(context(7, "mine"), 3);
    notes.recordAttempt("query", "n1", Reason.BEST_SCORE);
    now += 20_000_000;
    notes.recordAttempt("query", "n2", Reason.HEDGE);
    now += 1_500_000;
    notes.recordOutcome("n2", Outcome.ANSWERED);
    notes.recordOutcome("n1", Outcome.SUPERSEDED);

    Map<String, Object> shown = found("mine");
    assertThat(shown).containsEntry("request_id", "7").containsEntry("opaque_id", "mine");
    Map<String, Object> shard = list(shown, "shards").getFirst();
    assertThat(shard).containsEntry("index", "i").containsEntry("shard", 3);
    assertThat(shard).containsEntry("winner", "n2");
    assertThat(list(shard, "candidates")).extracting("node").containsExactly("n1", "n2");
    assertThat(list(shard, "calls")).extracting("reason").containsExactly("best-score", "hedge");
    assertThat(list(shard, "calls"))
        .extracting("outcome")
        .containsExactly("superseded", "answered");
    assertThat(list(shard, "calls")).extracting("after_ms").containsExactly(0.0, 20.0);
    assertThat(list(shard, "calls")).extracting("took_ms").containsExactly(21.5, 1.5);
    assertThat(found("7")).isEqualTo(shown);
  }

  @Test
  void findsTheNewestOfSeveralWithOneName() {
    chose(context(1, "again"), 0);
    chose(context(2, "again"), 0);
    assertThat(found("again")).containsEntry("request_id", "2");
    assertThat(recent.find("other")).isNull();
    assertThat(recent.find("99")).isNull();
    assertThat(recent.find("99999999999999999999")).isNull();
  }

  @Test
  void evictTheOldestAndIgnoreItsLaterEvents() {
    ShardRoutingRecorder first = chose(context(1, ""), 0);
    IntStream.rangeClosed(2, 5).forEach(id -> chose(context(id, ""), 0));
    assertThat(recent.find("1")).isNull();
    first.recordAttempt("query", "n1", Reason.RETRY);
    first.recordOutcome("n1", Outcome.FAILED);
    for (int id = 2; id <= 5; id++) {
      assertThat(list(list(found("" + id), "shards").getFirst(), "calls")).isEmpty();
    }
  }

  @Test
  void keepRemarkableRequestsLonger() {
    chose(context(1, ""), 0).recordAttempt("query", "n2", Reason.HEDGE);
    chose(context(2, ""), 0).recordAttempt("query", "n1", Reason.BEST_SCORE);
    IntStream.rangeClosed(3, 50).forEach(id -> chose(context(id, ""), 0));
    assertThat(found("1")).containsEntry("action", "search");
    assertThat(recent.find("2")).isNull();
  }

  @Test
  void keepFailedRequestsLonger() {
    ShardRoutingRecorder notes = chose(context(1, ""), 0);
    notes.recordAttempt("query", "n1", Reason.ONLY_COPY);
    notes.recordOutcome("n1", Outcome.FAILED);
    IntStream.rangeClosed(2, 50).forEach(id -> chose(context(id, ""), 0));
    assertThat(found("1")).containsEntry("action", "search");
  }

  @Test
  void discardResponsesWhenTheRequestStartsOver() {
    RequestContext context = context(1, "");
    context.search().requestExplanation();
    List<ShardRoutingRecorder> first = List.of(chose(context, 0), chose(context, 1));
    first.get(0).recordAttempt("query", "n1", Reason.BEST_SCORE);
    first.get(1).recordAttempt("query", "n2", Reason.HEDGE);
    first.get(1).recordAttempt("query", "n1", Reason.BEST_SCORE);
    first.get(0).recordOutcome("n1", Outcome.ANSWERED);
    first.get(1).recordOutcome("n2", Outcome.ANSWERED);
    first.get(1).recordOutcome("n1", Outcome.SUPERSEDED);
    first.forEach(notes -> notes.recordRestart(Set.of("n1")));
    ShardRoutingRecorder second = chose(context, 0);
    second.recordAttempt("query", "n2", Reason.BEST_SCORE);
    second.recordOutcome("n2", Outcome.ANSWERED);

    List<Map<String, Object>> shards = list(found("1"), "shards");
    assertThat(shards).extracting("winner").containsExactly("", "", "n2");
    assertThat(shards.stream().map(shard -> list(shard, "calls")))
        .extracting(calls -> calls.stream().map(call -> call.get("outcome")).toList())
        .containsExactly(
            List.of("node-lost"), List.of("discarded", "superseded"), List.of("answered"));
    assertThat(Objects.requireNonNull(context.search().routingDecisions()).toJson())
        .contains("\"outcome\":\"node-lost\"", "\"outcome\":\"discarded\"");
  }

  @Test
  void weighsANodeOnceForAllShardsOfOneMoment() {
    List<String> weighed = new ArrayList<>();
    ReplicaSelector selector =
        new ReplicaSelector() {
          @Override
          public void order(ShardCopy[] copies, int count, Phase phase) {}

          @Override
          public ScoredCopy scoreCopy(ShardCopy copy, NodeCallType work) {
            weighed.add(copy.nodeId());
            return ReplicaSelector.super.scoreCopy(copy, work);
          }
        };
    RecentRoutingDecisions counted =
        new RecentRoutingDecisions(4, () -> VIEW, selector, () -> now, () -> 0);
    RequestContext context = context(1, "");
    RequestRoutingDecisions own = Objects.requireNonNull(counted.decisionsOf(context, "search"));
    CopyScorer moment = own.newScorer(NodeCallType.HITS);
    List<ShardCopy> another = List.of(new ShardCopy("n2", "", false, true, Map.of()));
    for (List<ShardCopy> copies : List.of(COPIES, COPIES.reversed(), another)) {
      ShardTarget target = new ShardTarget(new ShardId("i", "uuid", 0), List.of(copies));
      moment.recordRanking(target, copies, true);
    }
    assertThat(weighed).containsExactly("n1", "n2", "n2");
    Map<String, Object> shown = Objects.requireNonNull(counted.find("1"));
    assertThat(list(shown, "shards").stream().map(shard -> list(shard, "candidates")))
        .extracting(copies ->
            copies.stream().map(copy -> copy.get("node") + " " + copy.get("primary")).toList())
        .containsExactly(
            List.of("n1 true", "n2 false"), List.of("n2 false", "n1 true"), List.of("n2 false"));
    assertThat(list(list(shown, "shards").getLast(), "candidates"))
        .extracting("state")
        .containsExactly("initializing");
  }

  @Test
  void keepPartOfARequestWithManyCalls() {
    ShardRoutingRecorder notes = chose(context(1, ""), 0);
    IntStream.range(0, 200).forEach(call -> notes.recordAttempt("query", "n1", Reason.RETRY));
    assertThat(list(list(found("1"), "shards").getFirst(), "calls")).hasSize(128);
    assertThat(found("1")).containsEntry("omitted_calls", 200 - 128);
  }

  @Test
  void keepPartOfARequestWithManyShards() {
    RequestContext context = context(1, "");
    IntStream.range(0, 1000)
        .forEach(shard -> chose(context, shard).recordAttempt("q", "n1", Reason.BEST_SCORE));
    assertThat(list(found("1"), "shards")).hasSize(64);
    assertThat(found("1")).containsEntry("omitted_shards", 1000 - 64);
  }

  @Test
  void explainToTheClientEvenWithoutAStore() {
    recent.resize(0);
    RequestContext plain = context(1, "");
    assertThat(chose(plain, 0)).isSameAs(ShardRoutingRecorder.NONE);
    assertThat(plain.search().routingDecisions()).isNull();
    RequestContext curious = context(2, "");
    curious.search().requestExplanation();
    ShardRoutingRecorder notes = chose(curious, 0);
    notes.recordAttempt("query", "n1", Reason.BEST_SCORE);
    notes.recordOutcome("n1", Outcome.ANSWERED);
    assertThat(Objects.requireNonNull(curious.search().routingDecisions()).toJson())
        .startsWith("{\"request_id\":\"2\",\"shards\":[{\"index\":\"i\",\"shard\":0,\"copies\":[{")
        .contains("\"node\":\"n1\",\"state\":\"scored\",\"score\":0.000")
        .contains("\"reason\":\"best-score\",\"outcome\":\"answered\"")
        .endsWith("]}]}");
    assertThat(recent.find("2")).isNull();
  }

  @Test
  void tellsNoClientOfAnothersRequest() {
    RequestContext curious = context(1, "");
    curious.search().requestExplanation();
    ShardRoutingRecorder notes = chose(curious, 7);
    for (int id = 2; id <= 100; id++) {
      chose(context(id, ""), 0).recordAttempt("query", "n2", Reason.HEDGE);
    }
    assertThat(recent.find("1")).as("it fell out of the ring").isNull();
    notes.recordAttempt("query", "n1", Reason.BEST_SCORE);
    assertThat(Objects.requireNonNull(curious.search().routingDecisions()).toJson())
        .startsWith("{\"request_id\":\"1\",\"shards\":[{\"index\":\"i\",\"shard\":7,")
        .contains("\"node\":\"n1\",\"phase\":\"query\",\"reason\":\"best-score\"");
  }

  @Test
  void limitTheExplanationToAHeadersSize() {
    RequestContext curious = context(1, "");
    curious.search().requestExplanation();
    IntStream.range(0, 64)
        .forEach(shard -> chose(curious, shard).recordAttempt("q", "n1", Reason.BEST_SCORE));
    assertThat(Objects.requireNonNull(curious.search().routingDecisions()).toJson())
        .hasSizeLessThanOrEqualTo(8 << 10)
        .endsWith(",\"...\"]}");
  }
}
