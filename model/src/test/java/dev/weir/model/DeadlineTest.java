package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DeadlineTest {
  /** The clock is about to turn over. */
  private static final long NOW = Duration.ofNanos(Long.MAX_VALUE).toNanos() - 5;

  @Test
  void noneNeverPasses() {
    assertThat(Deadline.NONE.isSet()).isFalse();
    assertThat(Deadline.NONE.hasPassed(Long.MIN_VALUE)).isFalse();
    assertThat(Deadline.NONE.hasPassed(Long.MAX_VALUE)).isFalse();
    assertThat(Deadline.NONE.remainingNanos(NOW)).isEqualTo(Long.MAX_VALUE);
    assertThat(Deadline.NONE).hasToString("none");
  }

  @Test
  void passesWhenItsTimeIsOverAlsoWhereTheClockTurnsOver() {
    Deadline deadline = Deadline.after(NOW, Duration.ofNanos(10), "a test");

    assertThat(deadline.remainingNanos(NOW)).isEqualTo(10);
    assertThat(deadline.hasPassed(NOW + 9)).isFalse();
    assertThat(deadline.hasPassed(NOW + 10)).isTrue();
    assertThat(deadline.remainingNanos(NOW + 12)).isEqualTo(-2);
  }

  @Test
  void passNegativeTimeoutsAtOnceAndEndlessOnesNever() {
    assertThat(Deadline.after(NOW, Duration.ofSeconds(-1), "a test").hasPassed(NOW)).isTrue();
    Deadline endless = Deadline.after(NOW, Duration.ofSeconds(Long.MAX_VALUE), "a test");
    assertThat(endless.hasPassed(NOW + Duration.ofDays(10_000).toNanos())).isFalse();
    assertThat(endless.remainingNanos(NOW)).isPositive();
  }

  @Test
  void useTheEarlierOfTwo() {
    Deadline soon = Deadline.after(NOW, Duration.ofMillis(1), "a test");
    Deadline late = Deadline.after(NOW, Duration.ofMillis(2), "another");

    assertThat(soon.earlierOf(late)).isSameAs(soon);
    assertThat(late.earlierOf(soon)).isSameAs(soon);
    assertThat(late.earlierOf(Deadline.NONE)).isSameAs(late);
    assertThat(Deadline.NONE.earlierOf(late)).isSameAs(late);
    assertThat(Deadline.NONE.earlierOf(Deadline.NONE)).isSameAs(Deadline.NONE);
  }

  @Test
  void haveLessTimeLeftForTheEarlierOfTwo() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 10_000; i++) {
      long now = random.nextLong();
      Deadline one = any(now, random);
      Deadline other = any(now, random);
      assertThat(one.earlierOf(other).remainingNanos(now))
          .isEqualTo(Math.min(one.remainingNanos(now), other.remainingNanos(now)));
    }
  }

  private static Deadline any(long now, SplittableRandom random) {
    long length = random.nextLong() >> random.nextInt(64);
    return random.nextInt(5) == 0
        ? Deadline.NONE
        : Deadline.after(now, Duration.ofNanos(length), "a test");
  }

  @Test
  void requireAnOrigin() {
    assertThatThrownBy(() -> Deadline.after(NOW, Duration.ZERO, ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(Deadline.after(NOW, Duration.ofMillis(500), "header X-Weir-Timeout"))
        .hasToString("500ms set by header X-Weir-Timeout");
  }
}
