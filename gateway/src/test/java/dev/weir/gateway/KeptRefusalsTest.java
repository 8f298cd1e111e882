package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.RequestLedger;
import dev.weir.admission.queue.QueueRefusal;
import dev.weir.admission.queue.QueueRefusal.FullNode;
import dev.weir.admission.queue.QueueRefusal.Reason;
import dev.weir.admission.queue.QueueRefusal.Waits;
import dev.weir.admission.queue.WorkClass;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.core.actions.explain.RecentChoices;
import dev.weir.cluster.ClusterView;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory.Item;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;

class KeptRefusalsTest {
  private static final ClusterView VIEW =
      new ClusterView(
          ClusterState.builder(new ClusterName("test")).build(),
          Map.<String, NodeEndpoint>of(),
          0,
          false);

  private final RecentChoices recent = recent();
  private final KeptRefusals refusals = new KeptRefusals(recent.refusals());

  /** Keeps up to two refused requests. */
  static RecentChoices recent() {
    return new RecentChoices(4, () -> VIEW, (copies, count, phase) -> {}, () -> 0, () -> 0);
  }

  private RequestContext search(String opaqueId, String tenant) {
    RequestContext context =
        new RequestContext(
            Runnable::run, Runnable::run, recent.number(), Map.of("X-Opaque-Id", opaqueId), tenant);
    context.asks("POST", "/logs/_search?size=1");
    return context;
  }

  private static QueueRefusal full(Reason reason) {
    return new QueueRefusal(
        reason,
        "acme",
        new FullNode("n2", WorkClass.SEARCH, 8, 8.4),
        new Waits(20, 412_000_000, 390_000_000, 1000),
        Duration.ofSeconds(1));
  }

  private Map<String, Object> found(String name) {
    return Objects.requireNonNull(recent.find(name), "got nothing (expected: " + name + ")");
  }

  @SuppressWarnings("unchecked") // as RecentRefusals makes it
  private static List<Map<String, Object>> why(Map<String, Object> shown) {
    return (List<Map<String, Object>>) Objects.requireNonNull(shown.get("refused"));
  }

  @Test
  void saysOfWhatWaitedForANodeWhichAndForHowLong() {
    RequestContext context = search("dash", "acme");
    refusals.queue(context.part(), full(Reason.WOULD_WAIT));
    assertThat(found("dash"))
        .containsEntry("request", "1")
        .containsEntry("tenant", "acme")
        .containsEntry("asked", "POST /logs/_search?size=1");
    assertThat(why(found("1")))
        .singleElement()
        .satisfies(why ->
            assertThat(why)
                .containsEntry("by", "queue")
                .containsEntry("kind", "would-wait")
                .containsEntry("node", "n2")
                .containsEntry("limit", 8.4)
                .containsEntry("waiting", 20)
                .containsEntry("expected_ms", 412.0)
                .containsEntry("allowed_ms", 390.0)
                .containsEntry("reason", full(Reason.WOULD_WAIT).message()));
    refusals.queue(search("other", "acme"), full(Reason.WAITED));
    assertThat(why(found("other")).getFirst()).containsEntry("waited_ms", 412.0);
  }

  @Test
  void keepsTheFirstOfTheManyRefusalsOfOneRequest() {
    RequestContext searches = search("many", "_default");
    for (int i = 0; i < 20; i++) {
      refusals.queue(searches.part(), full(Reason.QUEUE_FULL));
    }
    assertThat(why(found("many"))).hasSize(8);
    assertThat(why(found("many")).getFirst()).doesNotContainKey("expected_ms");
    assertThat(found("many")).containsEntry("refused_left_out", 12);
    assertThat(recent.refused(10)).hasSize(1);
  }

  @Test
  void saysOfMemoryWhatWasHeldAndTheBill() {
    RequestMemoryPolicy policy =
        new RequestMemoryPolicy(true, new ByteSize(10_000), new ByteSize(1000), 0.8);
    GatewayMemory memory =
        new GatewayMemory(
            policy,
            GatewayMemory.Pools.of(policy, new MemoryLedger(1000), new MemoryLedger(1000)),
            () -> 0);
    memory.tellRefusals(refusals::memory);
    RequestLedger ledger = memory.open("POST", "/_bulk", null, "loader");
    assertThat(ledger.take(Item.BODY, 500)).isNull();
    assertThat(ledger.take(Item.PARSED, 5000)).isNotNull();
    assertThat(found("loader")).containsEntry("request", "1").containsEntry("asked", "POST /_bulk");
    assertThat(why(found("loader")).getFirst())
        .containsEntry("by", "memory")
        .containsEntry("item", "parsed")
        .containsEntry("bytes_wanted", 5000L)
        .containsEntry("bill", List.of("body 500b"));
  }

  @Test
  void ofABodyOnlyWhatItsClientIsToldIsARefusal() {
    RequestMemoryPolicy policy =
        new RequestMemoryPolicy(true, new ByteSize(10_000), new ByteSize(1000), 0.8);
    GatewayMemory memory =
        new GatewayMemory(
            policy,
            GatewayMemory.Pools.of(policy, new MemoryLedger(1000), new MemoryLedger(1000)),
            () -> 0);
    memory.tellRefusals(refusals::memory);
    RequestLedger ledger = memory.open("POST", "/_bulk", null, "loader");
    ledger.numbered(7);
    var refused = Objects.requireNonNull(ledger.take(Item.BODY, 5000));
    assertThat(recent.find("7")).isNull();
    assertThat(ledger.turnedAway(refused)).isEqualTo(7);
    assertThat(why(found("7")).getFirst()).containsEntry("item", "body");
  }

  @Test
  void whatNoClientWaitsForIsNotKept() {
    RequestContext repeated = search("dash", "acme");
    repeated.becomeInner();
    assertThat(refusals.queue(repeated.part(), full(Reason.WAITED))).isNotNull();
    assertThat(recent.refused(10)).isEmpty();

    RequestMemoryPolicy policy =
        new RequestMemoryPolicy(true, new ByteSize(10_000), new ByteSize(1000), 0.8);
    GatewayMemory memory =
        new GatewayMemory(
            policy,
            GatewayMemory.Pools.of(policy, new MemoryLedger(1000), new MemoryLedger(1000)),
            () -> 0);
    memory.tellRefusals(refusals::memory);
    QuietMemory quiet = new QuietMemory(memory.open("GET", "/logs/_search", null));
    assertThat(quiet.take(Item.ANSWERS, 500)).isNull();
    assertThat(quiet.take(Item.ANSWERS, 5000)).isNotNull();
    assertThat(quiet.bounded()).isTrue();
    assertThat(recent.refused(10)).isEmpty();
    assertThat(memory.refusals()).isEmpty();
    for (GatewayMemory.Bound bound : GatewayMemory.Bound.values()) {
      assertThat(memory.refused(bound)).as("%s", bound).isZero();
    }
    quiet.giveBack(Item.ANSWERS, 500);
    assertThat(memory.held()).isZero();
  }

  @Test
  void keepsTheNewestAndListsThemTheLastOneFirst() {
    for (String name : List.of("one", "two", "three")) {
      refusals.queue(search(name, "_default"), full(Reason.WAITED));
    }
    assertThat(recent.find("one")).isNull();
    assertThat(recent.refused(10)).extracting("opaque_id").containsExactly("three", "two");
    assertThat(recent.refused(1)).extracting("opaque_id").containsExactly("three");
    recent.resize(0);
    assertThat(recent.refused(10)).isEmpty();
    refusals.queue(search("four", "_default"), full(Reason.WAITED));
    assertThat(recent.refusals().kept()).isZero();
  }
}
