package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.deadline.PolicyDeadlineResolver;
import dev.weir.config.policy.DeadlinePolicy;
import dev.weir.model.Deadline;
import dev.weir.model.PolicyCompiler;
import dev.weir.testkit.fixtures.TestExchange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Deadlines that clients set. */
class RestDeadlineTest {
  private final RestThreadContext threadContext =
      new RestThreadContext(RestDispatcherFixture.REGISTRIES.settings());
  private final RecordingExecutor executor = new RecordingExecutor();
  private final List<TestExchange> sent = new ArrayList<>();
  private DeadlinePolicy policy = DeadlinePolicy.DEFAULT;

  @AfterEach
  void close() {
    sent.forEach(TestExchange::disconnect);
    threadContext.close();
  }

  private TestExchange send(TestExchange exchange) {
    new RestDispatcher(
            RestDispatcherFixture.REGISTRIES,
            threadContext,
            executor,
            RestDispatcher.RestExtensions.NONE,
            new PolicyDeadlineResolver(new PolicyCompiler<>(policy)),
            () -> 1)
        .handle(exchange.arrivedAt(50));
    exchange.runEventLoop();
    sent.add(exchange);
    return exchange;
  }

  private Deadline deadline() {
    return executor.only().context().deadline();
  }

  private static DeadlinePolicy policy(String header, long read, long write, long most) {
    return new DeadlinePolicy(
        header, Duration.ofMillis(read), Duration.ofMillis(write), Duration.ofMillis(most), true);
  }

  @Test
  void limitReadsButNotWritesAndScrollsByDefault() {
    send(TestExchange.queued("GET", "/a/_search"));
    assertThat(deadline()).hasToString("600000ms set by admission.deadline.default-read-timeout");
    executor.forget();
    send(TestExchange.queued("PUT", "/a/_doc/1").json("{}"));
    assertThat(deadline().isSet()).isFalse();
    executor.forget();
    send(TestExchange.queued("GET", "/a/_search?scroll=1m"));
    assertThat(deadline().isSet()).isFalse();
  }

  @Test
  void readTheDeadlineFromTheHeaderAndCountFromTheFirstByte() {
    send(TestExchange.queued("GET", "/a/_search").header("x-weir-timeout", "500ms"));
    assertThat(deadline().remainingNanos(50)).isEqualTo(500_000_000);
    assertThat(deadline()).hasToString("500ms set by header X-Weir-Timeout");
  }

  @Test
  void useTheShortestOfSeveralDeadlines() {
    send(
        TestExchange.queued("GET", "/a/_search")
            .header("X-Weir-Timeout", "2s")
            .header("X-Weir-Timeout", "1s"));
    assertThat(deadline().timeout()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void rejectAMalformedTimeoutLikeOpenSearch() {
    TestExchange exchange =
        send(TestExchange.queued("GET", "/a/_search").header("X-Weir-Timeout", "soon"));
    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text())
        .startsWith("{\"error\":{\"root_cause\":[{\"type\":\"illegal_argument_exception\"")
        .contains("got [soon] in header X-Weir-Timeout", "such as 500ms, 2s or 1m");
    assertThat(executor.calls()).isEmpty();
  }

  @Test
  void useThePolicysDefaultWithoutAClientDeadline() {
    policy = policy("X-Weir-Timeout", 300, 700, 0);
    send(TestExchange.queued("GET", "/a/_search"));
    assertThat(deadline()).hasToString("300ms set by admission.deadline.default-read-timeout");
    executor.forget();
    send(TestExchange.queued("PUT", "/a/_doc/1").json("{}"));
    assertThat(deadline()).hasToString("700ms set by admission.deadline.default-write-timeout");
    executor.forget();
    send(TestExchange.queued("GET", "/a/_search").header("X-Weir-Timeout", "2s"));
    assertThat(deadline().timeout()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void boundTheClientsDeadlineByThePolicy() {
    policy = policy("X-Weir-Timeout", 0, 0, 1000);
    send(TestExchange.queued("GET", "/a/_search").header("X-Weir-Timeout", "1d"));
    assertThat(deadline())
        .hasToString(
            "1000ms set by admission.deadline.max-timeout, as header X-Weir-Timeout asks for more");
  }

  @Test
  void configureOrDisableTheHeader() {
    policy = policy("grpc-timeout", 0, 0, 0);
    send(TestExchange.queued("GET", "/a/_search").header("Grpc-Timeout", "500m"));
    assertThat(deadline().timeout()).isEqualTo(Duration.ofMillis(500));
    executor.forget();
    policy = policy("", 0, 0, 0);
    send(TestExchange.queued("GET", "/a/_search").header("X-Weir-Timeout", "soon"));
    assertThat(deadline().isSet()).isFalse();
  }
}
