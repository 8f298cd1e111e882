package dev.weir.admission.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.DeadlinePolicy;
import dev.weir.model.Deadline;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestPolicy;
import dev.weir.testkit.fixtures.TestRequestHead;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Deadlines that are known before the request's body has arrived. */
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

  private static TestRequestHead search(String... timeouts) {
    TestRequestHead head = TestRequestHead.get("/a/_search").arrivedAt(50);
    for (String timeout : timeouts) {
      head = head.with("X-Weir-Timeout", timeout);
    }
    return head;
  }

  @Test
  void useTheShortestClientTimeoutFromTheFirstByte() {
    Deadline deadline = deadlines.resolve(search("2s", "1s", "3s"), RequestPolicy.NONE);
    assertThat(deadline).hasToString("1000ms set by header X-Weir-Timeout");
    assertThat(deadline.remainingNanos(50)).isEqualTo(1_000_000_000);
  }

  @Test
  void boundTheDeadlineByThePolicy() {
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
  void useThePolicysDefaultWithoutAClientDeadline(String method, String uri, long millis) {
    assertThat(
            deadlines
                .resolve(TestRequestHead.of(method, uri).arrivedAt(50), RequestPolicy.NONE)
                .timeout())
        .isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/_search/scroll",
        "/_search/scroll/DnF1ZXJ5",
        "/a/_search?scroll=1m",
        "/a/_search?size=10&scroll=1m",
        "/a/_search?size=10;scroll=1m"
      })
  void cutNoScrollOffUnasked(String uri) {
    TestRequestHead scroll = TestRequestHead.of("POST", uri).arrivedAt(50);
    assertThat(deadlines.resolve(scroll, RequestPolicy.NONE).isSet()).isFalse();
    assertThat(deadlines.resolve(scroll.with("X-Weir-Timeout", "1s"), RequestPolicy.NONE).timeout())
        .isEqualTo(Duration.ofSeconds(1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/scrolls/_search", "/a/_search?q=scroll", "/a/_search?x=/_search/scroll"})
  void takeNoOtherReadForAScroll(String uri) {
    assertThat(
            deadlines
                .resolve(TestRequestHead.of("POST", uri).arrivedAt(50), RequestPolicy.NONE)
                .timeout())
        .isEqualTo(Duration.ofMillis(300));
  }

  @Test
  void ignoreAMalformedTimeoutThatWillBeRejected() {
    assertThat(deadlines.resolve(search("1s", "soon"), RequestPolicy.NONE).isSet()).isFalse();
  }

  @Test
  void useThePolicysDefaultWithoutAHeader() {
    RequestPolicy none =
        policies.compile(
            "", new DeadlinePolicy("", Duration.ZERO, Duration.ZERO, Duration.ZERO, true), null);
    assertThat(deadlines.resolve(search("1s"), none).isSet()).isFalse();
  }

  @Test
  void useTheDeadlineOfTheRequestsPolicy() {
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
