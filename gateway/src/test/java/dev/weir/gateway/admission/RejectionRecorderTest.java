package dev.weir.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.MemoryLimitScope;
import dev.weir.admission.memory.RequestMemoryAccount;
import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.admission.queue.QueueRejection;
import dev.weir.admission.queue.QueueRejection.FullNode;
import dev.weir.admission.queue.QueueRejection.Reason;
import dev.weir.admission.queue.QueueRejection.WaitMeasurement;
import dev.weir.bluegreen.shadow.BackgroundRequestMemory;
import dev.weir.cluster.ClusterView;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory.Category;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;

class RejectionRecorderTest {
  private static final ClusterView VIEW =
      new ClusterView(
          ClusterState.builder(new ClusterName("test")).build(),
          Map.<String, NodeEndpoint>of(),
          0,
          false);

  private final RecentRoutingDecisions recent = recent();
  private final RejectionRecorder refusals = new RejectionRecorder(recent.rejections());

  /** Keeps up to two rejections. */
  static RecentRoutingDecisions recent() {
    return new RecentRoutingDecisions(
        4, () -> VIEW, (copies, count, phase) -> {}, () -> 0, () -> 0);
  }

  private RequestContext search(String opaqueId, String tenant) {
    RequestContext context =
        new RequestContext(
            Runnable::run,
            Runnable::run,
            recent.nextNumber(),
            Map.of("X-Opaque-Id", opaqueId),
            tenant);
    context.setOriginalRequest("POST", "/logs/_search?size=1");
    return context;
  }

  private static QueueRejection full(Reason reason) {
    return new QueueRejection(
        reason,
        "acme",
        new FullNode("n2", NodeThreadPool.SEARCH, 8, 8.4),
        new WaitMeasurement(20, 412_000_000, 390_000_000, 1000),
        Duration.ofSeconds(1));
  }

  private Map<String, Object> found(String name) {
    return Objects.requireNonNull(recent.find(name), "got nothing (expected: " + name + ")");
  }

  @SuppressWarnings("unchecked") // as RecentRejections makes it
  private static List<Map<String, Object>> why(Map<String, Object> shown) {
    return (List<Map<String, Object>>) Objects.requireNonNull(shown.get("rejections"));
  }

  @Test
  void explainQueueRejectionsWithNodeAndWait() {
    RequestContext context = search("dash", "acme");
    refusals.recordQueue(context.newSubContext(), full(Reason.EXPECTED_WAIT_TOO_LONG));
    assertThat(found("dash"))
        .containsEntry("request_id", "1")
        .containsEntry("tenant", "acme")
        .containsEntry("request_line", "POST /logs/_search?size=1");
    assertThat(why(found("1")))
        .singleElement()
        .satisfies(why ->
            assertThat(why)
                .containsEntry("rejected_by", "queue")
                .containsEntry("reason_code", "expected-wait-too-long")
                .containsEntry("node", "n2")
                .containsEntry("limit", 8.4)
                .containsEntry("waiting_requests", 20)
                .containsEntry("expected_ms", 412.0)
                .containsEntry("max_ms", 390.0)
                .containsEntry("reason", full(Reason.EXPECTED_WAIT_TOO_LONG).message()));
    refusals.recordQueue(search("other", "acme"), full(Reason.WAIT_TIMEOUT));
    assertThat(why(found("other")).getFirst()).containsEntry("waited_ms", 412.0);
  }

  @Test
  void keepTheFirstRejectionOfARequest() {
    RequestContext searches = search("many", "_default");
    for (int i = 0; i < 20; i++) {
      refusals.recordQueue(searches.newSubContext(), full(Reason.QUEUE_FULL));
    }
    assertThat(why(found("many"))).hasSize(8);
    assertThat(why(found("many")).getFirst()).doesNotContainKey("expected_ms");
    assertThat(found("many")).containsEntry("omitted_rejections", 12);
    assertThat(recent.recentRejections(10)).hasSize(1);
  }

  @Test
  void explainMemoryRejectionsWithTheBill() {
    RequestMemoryPolicy policy =
        new RequestMemoryPolicy(true, new ByteSize(10_000), new ByteSize(1000), 0.8);
    GatewayMemory memory =
        new GatewayMemory(
            policy,
            GatewayMemory.Pools.of(policy, new MemoryPool(1000), new MemoryPool(1000)),
            () -> 0);
    memory.setRejectionListener(refusals::recordMemory);
    RequestMemoryAccount ledger = memory.openAccount("POST", "/_bulk", null, "loader");
    assertThat(ledger.reserve(Category.BODY, 500)).isNull();
    assertThat(ledger.reserve(Category.PARSED_BODY, 5000)).isNotNull();
    assertThat(found("loader"))
        .containsEntry("request_id", "1")
        .containsEntry("request_line", "POST /_bulk");
    assertThat(why(found("loader")).getFirst())
        .containsEntry("rejected_by", "memory")
        .containsEntry("item", "parsed-body")
        .containsEntry("requested_bytes", 5000L)
        .containsEntry("breakdown", List.of("body 500b"));
  }

  @Test
  void recordOnlyReportedRejectionsOfBodies() {
    RequestMemoryPolicy policy =
        new RequestMemoryPolicy(true, new ByteSize(10_000), new ByteSize(1000), 0.8);
    GatewayMemory memory =
        new GatewayMemory(
            policy,
            GatewayMemory.Pools.of(policy, new MemoryPool(1000), new MemoryPool(1000)),
            () -> 0);
    memory.setRejectionListener(refusals::recordMemory);
    RequestMemoryAccount ledger = memory.openAccount("POST", "/_bulk", null, "loader");
    ledger.assignTaskId(7);
    var refused = Objects.requireNonNull(ledger.reserve(Category.BODY, 5000));
    assertThat(recent.find("7")).isNull();
    assertThat(ledger.recordBodyRejection(refused)).isEqualTo(7);
    assertThat(why(found("7")).getFirst()).containsEntry("item", "body");
  }

  @Test
  void doNotRecordInternalRequests() {
    RequestContext repeated = search("dash", "acme");
    repeated.markInternal();
    assertThat(refusals.recordQueue(repeated.newSubContext(), full(Reason.WAIT_TIMEOUT)))
        .isNotNull();
    assertThat(recent.recentRejections(10)).isEmpty();

    RequestMemoryPolicy policy =
        new RequestMemoryPolicy(true, new ByteSize(10_000), new ByteSize(1000), 0.8);
    GatewayMemory memory =
        new GatewayMemory(
            policy,
            GatewayMemory.Pools.of(policy, new MemoryPool(1000), new MemoryPool(1000)),
            () -> 0);
    memory.setRejectionListener(refusals::recordMemory);
    BackgroundRequestMemory quiet =
        new BackgroundRequestMemory(memory.openAccount("GET", "/logs/_search", null));
    assertThat(quiet.reserve(Category.NODE_RESPONSES, 500)).isNull();
    assertThat(quiet.reserve(Category.NODE_RESPONSES, 5000)).isNotNull();
    assertThat(quiet.isBounded()).isTrue();
    assertThat(recent.recentRejections(10)).isEmpty();
    assertThat(memory.recentRejections()).isEmpty();
    for (MemoryLimitScope bound : MemoryLimitScope.values()) {
      assertThat(memory.rejections(bound)).as("%s", bound).isZero();
    }
    quiet.release(Category.NODE_RESPONSES, 500);
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void listTheNewestRejectionsFirst() {
    for (String name : List.of("one", "two", "three")) {
      refusals.recordQueue(search(name, "_default"), full(Reason.WAIT_TIMEOUT));
    }
    assertThat(recent.find("one")).isNull();
    assertThat(recent.recentRejections(10)).extracting("opaque_id").containsExactly("three", "two");
    assertThat(recent.recentRejections(1)).extracting("opaque_id").containsExactly("three");
    recent.resize(0);
    assertThat(recent.recentRejections(10)).isEmpty();
    refusals.recordQueue(search("four", "_default"), full(Reason.WAIT_TIMEOUT));
    assertThat(recent.rejections().size()).isZero();
  }
}
