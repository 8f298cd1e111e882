package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private final SplittableRandom random = new SplittableRandom(1);
  private final Backoff backoff = new Backoff(Duration.ofNanos(100), 2, Duration.ofNanos(1_000));

  @Test
  void doublesUpToItsBoundAndLeavesHalfToChance() {
    long[] whole = {100, 200, 400, 800, 1_000, 1_000};
    for (int failures = 1; failures <= whole.length; failures++) {
      long least = Long.MAX_VALUE;
      long most = 0;
      for (int i = 0; i < 10_000; i++) {
        long nanos = backoff.jitteredDelayNanos(failures, random);
        least = Math.min(least, nanos);
        most = Math.max(most, nanos);
      }
      assertThat(least).isEqualTo(whole[failures - 1] / 2);
      assertThat(most).isEqualTo(whole[failures - 1]);
    }
  }

  @Test
  void growsByItsMultiplier() {
    Backoff banRemoval = new Backoff(Duration.ofSeconds(1), 4, Duration.ofSeconds(64));
    assertThat(IntStream.range(0, 6).mapToLong(banRemoval::delayNanos))
        .containsExactly(
            0L, 1_000_000_000L, 4_000_000_000L, 16_000_000_000L, 64_000_000_000L, 64_000_000_000L);
  }

  @Test
  void doesNotWaitAfterNoFailure() {
    assertThat(backoff.delayNanos(0)).isZero();
    assertThat(backoff.jitteredDelayNanos(0, random)).isZero();
  }

  @Test
  void staysBoundedForever() {
    Backoff long1 = new Backoff(Duration.ofSeconds(1), 2, Duration.ofDays(100_000));
    assertThat(long1.jitteredDelayNanos(Integer.MAX_VALUE, random))
        .isBetween(Duration.ofDays(50_000).toNanos(), Duration.ofDays(100_000).toNanos());
    assertThat(long1.jitteredDelayNanos(41, random)).isPositive();
    assertThat(long1.jitteredDelayNanos(34, random)).isPositive();
  }
}
