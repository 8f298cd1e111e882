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
    assertThat(Deadline.NONE.exists()).isFalse();
    assertThat(Deadline.NONE.passed(Long.MIN_VALUE)).isFalse();
    assertThat(Deadline.NONE.passed(Long.MAX_VALUE)).isFalse();
    assertThat(Deadline.NONE.leftNanos(NOW)).isEqualTo(Long.MAX_VALUE);
    assertThat(Deadline.NONE).hasToString("none");
  }

  @Test
  void passesWhenItsTimeIsOverAlsoWhereTheClockTurnsOver() {
    Deadline deadline = Deadline.after(NOW, Duration.ofNanos(10), "a test");

    assertThat(deadline.leftNanos(NOW)).isEqualTo(10);
    assertThat(deadline.passed(NOW + 9)).isFalse();
    assertThat(deadline.passed(NOW + 10)).isTrue();
    assertThat(deadline.leftNanos(NOW + 12)).isEqualTo(-2);
  }

  @Test
  void aNegativeLengthHasPassedAtOnceAndAnEndlessOneNeverDoes() {
    assertThat(Deadline.after(NOW, Duration.ofSeconds(-1), "a test").passed(NOW)).isTrue();
    Deadline endless = Deadline.after(NOW, Duration.ofSeconds(Long.MAX_VALUE), "a test");
    assertThat(endless.passed(NOW + Duration.ofDays(10_000).toNanos())).isFalse();
    assertThat(endless.leftNanos(NOW)).isPositive();
  }

  @Test
  void theEarlierOfTwoCounts() {
    Deadline soon = Deadline.after(NOW, Duration.ofMillis(1), "a test");
    Deadline late = Deadline.after(NOW, Duration.ofMillis(2), "another");

    assertThat(soon.earlier(late)).isSameAs(soon);
    assertThat(late.earlier(soon)).isSameAs(soon);
    assertThat(late.earlier(Deadline.NONE)).isSameAs(late);
    assertThat(Deadline.NONE.earlier(late)).isSameAs(late);
    assertThat(Deadline.NONE.earlier(Deadline.NONE)).isSameAs(Deadline.NONE);
  }

  @Test
  void theEarlierOfAnyTwoHasTheLesserRest() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 10_000; i++) {
      long now = random.nextLong();
      Deadline one = any(now, random);
      Deadline other = any(now, random);
      assertThat(one.earlier(other).leftNanos(now))
          .isEqualTo(Math.min(one.leftNanos(now), other.leftNanos(now)));
    }
  }

  private static Deadline any(long now, SplittableRandom random) {
    long length = random.nextLong() >> random.nextInt(64);
    return random.nextInt(5) == 0
        ? Deadline.NONE
        : Deadline.after(now, Duration.ofNanos(length), "a test");
  }

  @Test
  void somebodySetIt() {
    assertThatThrownBy(() -> Deadline.after(NOW, Duration.ZERO, ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(Deadline.after(NOW, Duration.ofMillis(500), "header X-Weir-Timeout"))
        .hasToString("500ms set by header X-Weir-Timeout");
  }
}
