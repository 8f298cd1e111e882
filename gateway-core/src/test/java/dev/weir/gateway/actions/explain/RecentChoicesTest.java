package dev.weir.gateway.actions.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.cluster.ClusterView;
import dev.weir.gateway.cluster.ShardTarget;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import dev.weir.model.ShardNotes.Outcome;
import dev.weir.model.ShardNotes.Why;
import dev.weir.model.Work;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.core.index.shard.ShardId;

class RecentChoicesTest {
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
  private final RecentChoices recent =
      new RecentChoices(4, () -> VIEW, (copies, count, phase) -> {}, () -> now, () -> 0);

  private static RequestContext context(long id, String opaqueId) {
    return new RequestContext(
        Runnable::run, id, opaqueId.isEmpty() ? Map.of() : Map.of("X-Opaque-Id", opaqueId));
  }

  private ShardNotes chose(RequestContext context, int shard) {
    ShardTarget target = new ShardTarget(new ShardId("i", "uuid", shard), List.of(COPIES));
    return recent.chose(context, "search", target, COPIES, Work.HITS);
  }

  private Map<String, Object> found(String name) {
    return Objects.requireNonNull(recent.find(name), "got nothing (expected: " + name + ")");
  }

  @SuppressWarnings("unchecked") // as RequestChoices makes it
  private static List<Map<String, Object>> list(Map<String, Object> shown, String key) {
    return (List<Map<String, Object>>) Objects.requireNonNull(shown.get(key));
  }

  @Test
  void tellsWhichCopiesWereAskedAndWhy() {
    ShardNotes notes = chose(context(7, "mine"), 3);
    notes.asked("query", "n1", Why.BEST);
    now += 20_000_000;
    notes.asked("query", "n2", Why.HEDGE);
    now += 1_500_000;
    notes.over("n2", Outcome.ANSWERED);
    notes.over("n1", Outcome.GIVEN_UP);

    Map<String, Object> shown = found("mine");
    assertThat(shown).containsEntry("request", "7").containsEntry("opaque_id", "mine");
    Map<String, Object> shard = list(shown, "shards").getFirst();
    assertThat(shard).containsEntry("index", "i").containsEntry("shard", 3);
    assertThat(shard).containsEntry("winner", "n2");
    assertThat(list(shard, "candidates")).extracting("node").containsExactly("n1", "n2");
    assertThat(list(shard, "asked")).extracting("reason").containsExactly("best", "hedge");
    assertThat(list(shard, "asked")).extracting("outcome").containsExactly("given-up", "answered");
    assertThat(list(shard, "asked")).extracting("after_ms").containsExactly(0.0, 20.0);
    assertThat(list(shard, "asked")).extracting("took_ms").containsExactly(21.5, 1.5);
    assertThat(found("7")).isEqualTo(shown);
  }

  @Test
  void findsTheNewestOfSeveralWithOneName() {
    chose(context(1, "again"), 0);
    chose(context(2, "again"), 0);
    assertThat(found("again")).containsEntry("request", "2");
    assertThat(recent.find("other")).isNull();
    assertThat(recent.find("99")).isNull();
    assertThat(recent.find("99999999999999999999")).isNull();
  }

  @Test
  void forgetsTheOldestAndHearsNoMoreOfIt() {
    ShardNotes first = chose(context(1, ""), 0);
    IntStream.rangeClosed(2, 5).forEach(id -> chose(context(id, ""), 0));
    assertThat(recent.find("1")).isNull();
    first.asked("query", "n1", Why.RETRY);
    first.over("n1", Outcome.FAILED);
    for (int id = 2; id <= 5; id++) {
      assertThat(list(list(found("" + id), "shards").getFirst(), "asked")).isEmpty();
    }
  }

  @Test
  void keepsLongerWhatWasRemarkable() {
    chose(context(1, ""), 0).asked("query", "n2", Why.HEDGE);
    chose(context(2, ""), 0).asked("query", "n1", Why.BEST);
    IntStream.rangeClosed(3, 50).forEach(id -> chose(context(id, ""), 0));
    assertThat(found("1")).containsEntry("action", "search");
    assertThat(recent.find("2")).isNull();
  }

  @Test
  void aRequestWithManyShardsIsKeptInPart() {
    RequestContext context = context(1, "");
    IntStream.range(0, 1000).forEach(shard -> chose(context, shard).asked("q", "n1", Why.BEST));
    assertThat(list(found("1"), "shards")).hasSize(64);
    assertThat(found("1")).containsEntry("shards_left_out", 1000 - 64);
  }

  @Test
  void tellsTheClientWhoAsksAlsoWhenNothingIsKept() {
    recent.resize(0);
    RequestContext plain = context(1, "");
    assertThat(chose(plain, 0)).isSameAs(ShardNotes.NONE);
    assertThat(plain.notes()).isNull();
    RequestContext curious = context(2, "");
    curious.explain();
    ShardNotes notes = chose(curious, 0);
    notes.asked("query", "n1", Why.BEST);
    notes.over("n1", Outcome.ANSWERED);
    assertThat(Objects.requireNonNull(curious.notes()).told())
        .startsWith("{\"request\":\"2\",\"shards\":[{\"index\":\"i\",\"shard\":0,\"copies\":[{")
        .contains("\"node\":\"n1\",\"standing\":\"known\",\"score\":0.000")
        .contains("\"reason\":\"best\",\"outcome\":\"answered\"")
        .endsWith("]}]}");
    assertThat(recent.find("2")).isNull();
  }

  @Test
  void tellsNoClientOfAnothersRequest() {
    RequestContext curious = context(1, "");
    curious.explain();
    ShardNotes notes = chose(curious, 7);
    for (int id = 2; id <= 100; id++) {
      chose(context(id, ""), 0).asked("query", "n2", Why.HEDGE);
    }
    assertThat(recent.find("1")).as("it fell out of the ring").isNull();
    notes.asked("query", "n1", Why.BEST);
    assertThat(Objects.requireNonNull(curious.notes()).told())
        .startsWith("{\"request\":\"1\",\"shards\":[{\"index\":\"i\",\"shard\":7,")
        .contains("\"node\":\"n1\",\"phase\":\"query\",\"reason\":\"best\"");
  }

  @Test
  void whatAClientIsToldFitsIntoAHeader() {
    RequestContext curious = context(1, "");
    curious.explain();
    IntStream.range(0, 64).forEach(shard -> chose(curious, shard).asked("q", "n1", Why.BEST));
    assertThat(Objects.requireNonNull(curious.notes()).told())
        .hasSizeLessThanOrEqualTo(8 << 10)
        .endsWith(",\"...\"]}");
  }
}
