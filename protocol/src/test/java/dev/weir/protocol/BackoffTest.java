package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private final Backoff backoff =
      new Backoff(Duration.ofNanos(100), Duration.ofNanos(1_000), new SplittableRandom(1));

  @Test
  void doublesUpToItsBoundAndLeavesHalfToChance() {
    long[] whole = {100, 200, 400, 800, 1_000, 1_000};
    for (int failures = 1; failures <= whole.length; failures++) {
      long least = Long.MAX_VALUE;
      long most = 0;
      for (int i = 0; i < 10_000; i++) {
        long nanos = backoff.delayNanos(failures);
        least = Math.min(least, nanos);
        most = Math.max(most, nanos);
      }
      assertThat(least).isEqualTo(whole[failures - 1] / 2);
      assertThat(most).isEqualTo(whole[failures - 1]);
    }
  }

  @Test
  void doesNotWaitAfterNoFailure() {
    assertThat(backoff.delayNanos(0)).isZero();
  }

  @Test
  void staysBoundedForever() {
    Backoff long1 =
        new Backoff(Duration.ofSeconds(1), Duration.ofDays(100_000), new SplittableRandom(1));
    assertThat(long1.delayNanos(Integer.MAX_VALUE))
        .isBetween(Duration.ofDays(50_000).toNanos(), Duration.ofDays(100_000).toNanos());
    assertThat(long1.delayNanos(41)).isPositive();
    assertThat(long1.delayNanos(34)).isPositive();
  }
}
