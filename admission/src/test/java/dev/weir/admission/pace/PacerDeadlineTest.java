package dev.weir.admission.pace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Deadline;
import dev.weir.testkit.fixtures.TestRequestHead;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Requests with a deadline, at a limit of one request a second. */
final class PacerDeadlineTest {
  private static final long SECOND = 1_000_000_000L;

  private static final Duration MAX_DELAY = Duration.ofSeconds(2);

  private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.1", 4000);

  private final AtomicLong clock = new AtomicLong(-7 * SECOND);
  private final RequestPacer pacer =
      new RequestPacer(
          TestPacingRule.policy(
              10,
              TestPacingRule.named("r").holding(MAX_DELAY),
              TestPacingRule.named("dry").holding(MAX_DELAY).dry()),
          clock::get);

  private PacedRequest start(Deadline deadline) {
    return Objects.requireNonNull(
        pacer.start(TestRequestHead.get("/").from(CLIENT), "a", deadline),
        "got no paced request (expected: one of both rules)");
  }

  private Deadline within(long millis) {
    return Deadline.after(clock.get(), Duration.ofMillis(millis), "header X");
  }

  private RequestPacer.RuleStats count(String rule) {
    return pacer.ruleStats().stream().filter(c -> c.rule().equals(rule)).findFirst().orElseThrow();
  }

  private void useUpBurst() {
    PacedRequest first = start(Deadline.NONE);
    assertThat(first.decide()).isEqualTo(PacingDecision.PROCEED);
    first.end(0);
  }

  @Test
  void rejectAtOnceRequestDelayedPastDeadline() {
    useUpBurst();
    Deadline deadline = within(300);
    clock.addAndGet(SECOND / 5);
    for (int i = 0; i < 10; i++) {
      PacedRequest late = start(deadline);
      assertThat(late.decide())
          .isEqualTo(
              new PacingDecision.Rejected(
                  "r",
                  "",
                  new PacingDecision.Rate("requests", 1, 1),
                  4 * SECOND / 5,
                  SECOND / 10,
                  deadline));
      late.end(0);
    }
    assertThat(pacer.delayedRequests()).isZero();
    assertThat(count("r").rejected()).isEqualTo(10);
    assertThat(count("dry").dryRunRejected()).isEqualTo(10);
    PacedRequest inTime = start(within(801));
    assertThat(inTime.decide()).isEqualTo(new PacingDecision.Delay(4 * SECOND / 5));
    clock.addAndGet(SECOND);
    assertThat(inTime.decide()).as("its timer was late").isEqualTo(PacingDecision.PROCEED);
  }

  @Test
  void nameDeadlineOrMaxDelayInMessage() {
    useUpBurst();
    assertThat(((PacingDecision.Rejected) start(within(100)).decide()).message())
        .isEqualTo(
            "rejected by the gateway: rate_limit [r], got a request that would have had to wait"
                + " 1000 ms (expected: at most 100 ms, which its deadline of [100ms set by header"
                + " X] leaves, at 1 requests a second with a burst of 1); retry after 1 s, or raise"
                + " the rate of this rule in admission.pacing");
    start(Deadline.NONE).decide();
    start(Deadline.NONE).decide();
    assertThat(((PacingDecision.Rejected) start(within(3_600_000)).decide()).message())
        .contains("(expected: at most 2000 ms, at 1 requests a second");
  }

  @Test
  void admitLateRequestThatNeedsNoDelay() {
    Deadline passed = Deadline.after(clock.get() - SECOND, Duration.ZERO, "header X");
    assertThat(start(passed).decide()).isEqualTo(PacingDecision.PROCEED);
  }
}
