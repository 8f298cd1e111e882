package dev.weir.core.actions.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.admission.queue.QueueRejection;
import dev.weir.core.actions.explain.RecentRejections.RequestIdentity;
import dev.weir.core.actions.explain.Rejection.Cause;
import dev.weir.model.Deadline;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RecentRejectionsTest {
  private long nowMillis;
  private final RecentRejections recent = new RecentRejections(3, () -> nowMillis);

  private static RequestIdentity identity(long number, String opaqueId) {
    return new RequestIdentity(number, opaqueId, "acme", "GET /logs/_search");
  }

  private static Rejection memory(String reason) {
    return new Rejection(Cause.MEMORY, null, () -> reason, () -> Map.of("limit_bytes", 5));
  }

  @SuppressWarnings("unchecked") // as RecentRejections makes it
  private static List<Map<String, Object>> reasons(Map<String, Object> row) {
    return (List<Map<String, Object>>) Objects.requireNonNull(row.get("rejections"));
  }

  @Test
  void keepsTheNewestRequests() {
    for (int number = 1; number <= 5; number++) {
      nowMillis = number * 1000L;
      recent.add(identity(number, ""), memory("full"));
    }
    assertThat(recent.size()).isEqualTo(3);
    assertThat(recent.contains(2)).isFalse();
    assertThat(recent.newest(10, UnaryOperator.identity()))
        .extracting("request_id")
        .containsExactly("5", "4", "3");
    assertThat(recent.newest(1, UnaryOperator.identity()))
        .extracting("rejected_at")
        .containsExactly("1970-01-01T00:00:05Z");
    recent.resize(1);
    assertThat(recent.size()).isOne();
    recent.resize(0);
    recent.add(identity(9, ""), memory("full"));
    assertThat(recent.size()).isZero();
  }

  @Test
  void describesWhoseRequestItWas() {
    recent.add(identity(7, "mine"), memory("full"));
    assertThat(recent.describe(7))
        .containsEntry("request_id", "7")
        .containsEntry("opaque_id", "mine")
        .containsEntry("tenant", "acme")
        .containsEntry("request_line", "GET /logs/_search")
        .doesNotContainKey("rejections");
    assertThat(recent.describe(8)).isNull();
  }

  @Test
  void keepsEightReasonsOfARequest() {
    for (int i = 0; i < 11; i++) {
      recent.add(identity(1, ""), memory("reason " + i));
    }
    Map<String, Object> row = recent.newest(1, UnaryOperator.identity()).getFirst();
    assertThat(reasons(row)).hasSize(8).extracting("reason").startsWith("reason 0", "reason 1");
    assertThat(row).containsEntry("omitted_rejections", 3);
  }

  @Test
  void addsReasonsToARequestThatIsKnownOtherwise() {
    Map<String, Object> row = new LinkedHashMap<>();
    recent.addReasons(4, UnaryOperator.identity(), row);
    assertThat(row).isEmpty();
    recent.add(identity(4, ""), new Rejection(Cause.QUEUE, "n1", () -> "busy", Map::of));
    recent.addReasons(4, id -> "name of " + id, row);
    assertThat(reasons(row).getFirst())
        .containsEntry("rejected_by", "queue")
        .containsEntry("node", "n1")
        .containsEntry("name", "name of n1")
        .containsEntry("reason", "busy");
  }

  @Test
  void findsTheNewestOfAClientsName() {
    recent.add(identity(1, "x"), memory("full"));
    recent.add(identity(2, "x"), memory("full"));
    recent.add(identity(3, "y"), memory("full"));
    assertThat(recent.newest("x")).isEqualTo(2);
    assertThat(recent.newest("z")).isZero();
  }

  @Test
  void truncatesLongNamesOfClients() {
    String name = "n".repeat(500);
    RequestIdentity identity =
        RequestIdentity.of(new RequestContext(Runnable::run, 6, Map.of("X-Opaque-Id", name)));
    assertThat(identity.opaqueId()).hasSize(128);
    assertThat(identity.number()).isEqualTo(6);
    assertThat(identity.tenant()).isEqualTo(RequestContext.DEFAULT_TENANT);
    recent.add(identity, memory("full"));
    assertThat(recent.newest(RequestIdentity.truncate(name))).isEqualTo(6);
    assertThat(RequestIdentity.of(new RequestContext(Runnable::run, 1, Map.of())).opaqueId())
        .isEmpty();
  }

  @Test
  void numbersRequestsFromOne() {
    assertThat(recent.nextNumber()).isOne();
    assertThat(recent.nextNumber()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(QueueRejection.Reason.class)
  void measuresWhatWasRejectedByAQueue(QueueRejection.Reason reason) {
    QueueRejection queue =
        new QueueRejection(
            reason,
            "acme",
            new QueueRejection.FullNode("n1", NodeThreadPool.SEARCH, 12, 8.25),
            new QueueRejection.WaitMeasurement(
                40, TimeUnit.MILLISECONDS.toNanos(1500), TimeUnit.SECONDS.toNanos(1), 50),
            Duration.ofSeconds(3));
    Rejection rejection = Rejection.ofQueue(queue);
    assertThat(rejection.cause()).isEqualTo(Cause.QUEUE);
    assertThat(rejection.nodeId()).isEqualTo("n1");
    assertThat(rejection.reason().get()).isEqualTo(queue.message());
    Map<String, Object> measured = rejection.measurements().get();
    assertThat(measured)
        .containsEntry("reason_code", reason.label())
        .containsEntry("class", "search")
        .containsEntry("in_flight", 12)
        .containsEntry("limit", 8.25)
        .containsEntry("waiting_requests", 40)
        .containsEntry("max_waiting_requests", 50)
        .containsEntry("retry_after_s", 3L);
    switch (reason) {
      case QUEUE_FULL -> assertThat(measured).doesNotContainKeys("waited_ms", "max_ms");
      case WAIT_TIMEOUT ->
          assertThat(measured).containsEntry("waited_ms", 1500.0).containsEntry("max_ms", 1000.0);
      case EXPECTED_WAIT_TOO_LONG, DEADLINE_BEFORE_TURN ->
          assertThat(measured).containsEntry("expected_ms", 1500.0).containsEntry("max_ms", 1000.0);
    }
  }

  @Test
  void measuresDeadlines() {
    Deadline deadline = Deadline.after(5, Duration.ofMillis(250), "X-Deadline");
    Rejection late = Rejection.ofDeadline(deadline, false, "too late");
    assertThat(late.cause()).isEqualTo(Cause.DEADLINE);
    assertThat(late.nodeId()).isNull();
    assertThat(late.reason().get()).isEqualTo("too late");
    assertThat(late.measurements().get())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("reason_code", "expired-on-arrival", "set_by", "X-Deadline", "max_ms", 250L));
    assertThat(Rejection.ofDeadline(deadline, true, "").measurements().get())
        .containsEntry("reason_code", "exceeded");
  }
}
