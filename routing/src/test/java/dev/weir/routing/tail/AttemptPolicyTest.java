package dev.weir.routing.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class AttemptPolicyTest {
  private static final long MILLI = 1_000_000;

  @Test
  void knowAQuantileAfterTwentySamples() {
    LatencyQuantile p95 = new LatencyQuantile(0.95);
    for (int i = 1; i < 20; i++) {
      p95.add(i * MILLI);
      assertThat(p95.nanos()).isNegative();
    }
    for (int i = 0; i < 2000; i++) {
      p95.add((1 + i % 100) * MILLI);
    }
    assertThat(p95.nanos() / 1e6).isCloseTo(95, within(6.0));
  }

  @Test
  void followNewSamples() {
    LatencyQuantile median = new LatencyQuantile(0.5);
    for (int i = 0; i < 20_000; i++) {
      median.add(10 * MILLI);
    }
    for (int i = 0; i < 10_000; i++) {
      median.add(30 * MILLI);
    }
    assertThat(median.nanos() / 1e6).isCloseTo(30, within(2.0));
  }

  @Test
  void anyTimeHasABucket() {
    LatencyQuantile median = new LatencyQuantile(0.5);
    for (long nanos : new long[] {-5, 0, 1, Long.MAX_VALUE}) {
      for (int i = 0; i < 100; i++) {
        median.add(nanos);
      }
      assertThat(median.nanos()).isPositive();
    }
  }

  @Test
  void secondRequestsAreAShareOfTheFirst() {
    HedgeBudget budget = new HedgeBudget(0.03, 100, () -> 0);
    int taken = 0;
    for (int i = 0; i < 100_000; i++) {
      budget.deposit();
      taken += budget.tryWithdrawForStall() ? 1 : 0;
    }
    assertThat(taken).isBetween(3000, 3101);
  }

  @Test
  void halfOfTheBudgetIsKeptForStalls() {
    HedgeBudget budget = new HedgeBudget(0.03, 100, () -> 0);
    int late = 0;
    while (budget.tryWithdrawForLate()) {
      late++;
    }
    int stalls = 0;
    while (budget.tryWithdrawForStall()) {
      stalls++;
    }
    assertThat(late).isEqualTo(51);
    assertThat(stalls).isEqualTo(49);
    assertThat(budget.tokens()).isBetween(0.0, 1.0);
  }
}
