package dev.weir.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.simulation.SingleReissue.Reissue;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The delay and the probability of a second request. */
final class SingleReissueTest {
  private static final double BUDGET = 0.03;

  @Test
  void sendWithinTheBudgetBeforeTheTail() {
    long[] times = new long[1000];
    Arrays.setAll(times, i -> i < 980 ? 10 + i / 100 : 1000 + i);
    Reissue reissue = SingleReissue.best(times, BUDGET);
    long later = Arrays.stream(times).filter(time -> time > reissue.delayNanos()).count();
    assertThat(reissue.delayNanos()).isBetween(1L, 990L);
    assertThat(reissue.probability() * later / times.length)
        .isPositive()
        .isLessThan(1.001 * BUDGET);
  }

  @Test
  void sendNothingWhereNothingCanBeGained() {
    long[] times = new long[1000];
    Arrays.fill(times, 10);
    assertThat(SingleReissue.best(times, BUDGET).probability()).isZero();
  }

  @Test
  void sendNothingWithoutABudget() {
    long[] times = new long[1000];
    Arrays.setAll(times, i -> i < 980 ? 10 : 1000);
    assertThat(SingleReissue.best(times, 0).probability()).isZero();
  }
}
