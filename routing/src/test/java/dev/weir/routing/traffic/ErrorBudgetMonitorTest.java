package dev.weir.routing.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.RollbackPolicy;
import dev.weir.routing.traffic.ErrorBudgetMonitor.Counts;
import dev.weir.routing.traffic.ErrorBudgetMonitor.Decision;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ErrorBudgetMonitorTest {
  private static final long SECOND = 1_000_000_000L;

  private final AtomicLong now = new AtomicLong(-3 * SECOND);

  private ErrorBudgetMonitor window(String to, double maxDifferences) {
    return new ErrorBudgetMonitor(
        new RollbackPolicy(to, Duration.ofSeconds(20), 10, 5, maxDifferences), now::get);
  }

  private static void answer(ErrorBudgetMonitor window, String cluster, int good, int failed) {
    for (int i = 0; i < good; i++) {
      window.onResponse(cluster, false);
    }
    for (int i = 0; i < failed; i++) {
      window.onResponse(cluster, true);
    }
  }

  private static String why(ErrorBudgetMonitor window) {
    return window.decide() instanceof Decision.RollBack(String why) ? why : "";
  }

  @Test
  void goesBackWhenOthersFailMore() {
    ErrorBudgetMonitor window = window("blue", 100);
    answer(window, "blue", 98, 2);
    answer(window, "green", 93, 7);
    assertThat(window.decide()).as("5 % more are allowed").isEqualTo(new Decision.NoAction());
    answer(window, "green", 0, 1);
    assertThat(why(window))
        .isEqualTo(
            "7.9 % of 101 requests to other clusters failed, 2.0 % of 100 to blue (expected: at"
                + " most 5 % more)");
  }

  @Test
  void goesOnWhenTheOneFailsAsMuch() {
    ErrorBudgetMonitor window = window("blue", 100);
    answer(window, "blue", 5, 5);
    answer(window, "green", 50, 50);
    assertThat(window.decide()).isEqualTo(new Decision.NoAction());
  }

  @Test
  void concludesNothingFromLittle() {
    ErrorBudgetMonitor window = window("blue", 0);
    answer(window, "green", 0, 9);
    for (int i = 0; i < 9; i++) {
      window.onComparison(true);
    }
    assertThat(window.decide()).isEqualTo(new Decision.NoAction());
    answer(window, "green", 0, 1);
    assertThat(why(window)).startsWith("100.0 % of 10 requests to other clusters failed, 0.0 %");
  }

  @Test
  void goesBackWhenReadsDiffer() {
    ErrorBudgetMonitor window = window("blue", 10);
    for (int i = 0; i < 20; i++) {
      window.onComparison(i < 2);
    }
    assertThat(window.decide()).isEqualTo(new Decision.NoAction());
    window.onComparison(true);
    assertThat(why(window))
        .isEqualTo("14.3 % of 21 compared reads differed (expected: at most 10 %)");
  }

  @Test
  void dropSamplesOlderThanTheWindow() {
    ErrorBudgetMonitor window = window("blue", 100);
    answer(window, "green", 0, 10);
    now.addAndGet(10 * SECOND);
    answer(window, "green", 4, 0);
    window.onComparison(true);
    assertThat(window.counts()).isEqualTo(new Counts(0, 0, 14, 10, 1, 1));
    now.addAndGet(10 * SECOND);
    assertThat(window.counts()).isEqualTo(new Counts(0, 0, 4, 0, 1, 1));
    assertThat(window.decide()).isEqualTo(new Decision.NoAction());
    now.addAndGet(1000 * SECOND);
    assertThat(window.counts()).isEqualTo(new Counts(0, 0, 0, 0, 0, 0));
  }

  @Test
  void startOverAfterTrafficMoved() {
    ErrorBudgetMonitor window = window("blue", 100);
    answer(window, "green", 0, 100);
    answer(window, "blue", 3, 1);
    assertThat(window.counts()).isEqualTo(new Counts(4, 1, 100, 100, 0, 0));
    window.reset();
    assertThat(window.counts()).isEqualTo(new Counts(0, 0, 0, 0, 0, 0));
    assertThat(window.decide()).isEqualTo(new Decision.NoAction());
  }

  @Test
  void neverRollBackWithoutATargetCluster() {
    ErrorBudgetMonitor window = window("", 0);
    answer(window, "green", 0, 100);
    assertThat(window.isEnabled()).isFalse();
    assertThat(window.decide()).isEqualTo(new Decision.NoAction());
  }
}
