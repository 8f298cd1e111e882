package dev.weir.admission.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.DeadlinePolicy;
import dev.weir.model.Deadline;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is known of a request's deadline before its body has come. */
class PolicyDeadlineResolverTest {
  private static final DeadlinePolicy POLICY =
      new DeadlinePolicy(
          "X-Weir-Timeout",
          Duration.ofMillis(300),
          Duration.ofMillis(700),
          Duration.ofMillis(5000),
          true);

  private final PolicyCompiler<DeadlinePolicy> policies = new PolicyCompiler<>(POLICY);
  private final PolicyDeadlineResolver deadlines = new PolicyDeadlineResolver(policies);

  /** A head that came at 50 ns. */
  private record Head(String method, String uri, List<String> timeouts) implements RequestHead {
    @Override
    public @Nullable String header(String name) {
      return timeouts.isEmpty() ? null : timeouts.getFirst();
    }

    @Override
    public List<String> headers(String name) {
      return name.equals("X-Weir-Timeout") ? timeouts : List.of();
    }

    @Override
    public long arrivedNanos() {
      return 50;
    }

    @Override
    public SocketAddress remoteAddress() {
      return InetSocketAddress.createUnresolved("client", 1);
    }

    @Override
    public long contentLength() {
      return 0;
    }
  }

  private static Head search(String... timeouts) {
    return new Head("GET", "/a/_search", List.of(timeouts));
  }

  @Test
  void theShortestThatItAsksForCountsFromItsFirstByte() {
    Deadline deadline = deadlines.resolve(search("2s", "1s", "3s"), RequestPolicy.NONE);
    assertThat(deadline).hasToString("1000ms set by header X-Weir-Timeout");
    assertThat(deadline.remainingNanos(50)).isEqualTo(1_000_000_000);
  }

  @Test
  void thePolicyBoundsIt() {
    assertThat(deadlines.resolve(search("1d"), RequestPolicy.NONE).timeout())
        .isEqualTo(Duration.ofSeconds(5));
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /a/_search, 300",
    "POST, /_msearch, 300",
    "GET, /a/_doc/1, 300",
    "PUT, /a/_doc/1, 700",
    "DELETE, /a/_doc/1, 700",
    "POST, /_bulk, 700"
  })
  void thePolicySaysItWhereTheClientDoesNot(String method, String uri, long millis) {
    assertThat(deadlines.resolve(new Head(method, uri, List.of()), RequestPolicy.NONE).timeout())
        .isEqualTo(Duration.ofMillis(millis));
  }

  @Test
  void whatCannotBeReadIsNoneAsItIsGoingToBeRefused() {
    assertThat(deadlines.resolve(search("1s", "soon"), RequestPolicy.NONE).isSet()).isFalse();
  }

  @Test
  void withoutAHeaderThatSaysItThePolicyDoes() {
    RequestPolicy none =
        policies.compile(
            "", new DeadlinePolicy("", Duration.ZERO, Duration.ZERO, Duration.ZERO, true), null);
    assertThat(deadlines.resolve(search("1s"), none).isSet()).isFalse();
  }

  @Test
  void aPolicyHasItsOwn() {
    DeadlinePolicy strict =
        new DeadlinePolicy(
            "X-Weir-Timeout", Duration.ofMillis(50), Duration.ZERO, Duration.ofMillis(60), false);
    RequestPolicy own = policies.compile("strict", strict, null);
    assertThat(deadlines.resolve(search(), own))
        .hasToString("50ms set by policies.strict.deadline.default-read-timeout");
    assertThat(deadlines.resolve(search("1s"), own).toString())
        .startsWith("60ms set by policies.strict.deadline.max-timeout, as header X-Weir-Timeout");
    assertThat(deadlines.resolve(search(), RequestPolicy.NONE))
        .hasToString("300ms set by admission.deadline.default-read-timeout");
    assertThat(deadlines.isPartialResultsAllowed(own)).isFalse();
    assertThat(deadlines.isPartialResultsAllowed(RequestPolicy.NONE)).isTrue();
  }
}
