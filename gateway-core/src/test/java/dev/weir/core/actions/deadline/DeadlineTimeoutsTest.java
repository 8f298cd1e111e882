package dev.weir.core.actions.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Deadline;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.opensearch.common.unit.TimeValue;

class DeadlineTimeoutsTest {
  private static final TimeValue MINUTE = TimeValue.timeValueMinutes(1);

  private static Deadline millis(long millis) {
    return Deadline.after(0, Duration.ofMillis(millis), "a test");
  }

  @Test
  void useTheRequestsTimeoutUnlessTheDeadlineIsEarlier() {
    assertThat(DeadlineTimeouts.capTimeout(MINUTE, Deadline.NONE, () -> 0)).isSameAs(MINUTE);
    assertThat(DeadlineTimeouts.capTimeout(MINUTE, millis(60_001), () -> 0)).isSameAs(MINUTE);
    assertThat(DeadlineTimeouts.capTimeout(MINUTE, millis(700), () -> 200_000_000).millis())
        .isEqualTo(500);
    assertThat(DeadlineTimeouts.capTimeout(TimeValue.MINUS_ONE, millis(700), () -> 0).millis())
        .isEqualTo(700);
    assertThat(DeadlineTimeouts.capTimeout(MINUTE, millis(700), () -> 800_000_000).millis())
        .isEqualTo(1);
  }

  @Test
  void shardsGetALittleLessInStepsSoThatAnswersAreCached() {
    assertThat(DeadlineTimeouts.shardTimeoutMillis(millis(500), () -> 0)).isEqualTo(448);
    assertThat(DeadlineTimeouts.shardTimeoutMillis(millis(500), () -> 1_000_000)).isEqualTo(448);
    assertThat(DeadlineTimeouts.shardTimeoutMillis(millis(10_000), () -> 0)).isEqualTo(8704);
    assertThat(DeadlineTimeouts.shardTimeoutMillis(millis(1), () -> 0)).isEqualTo(1);
  }

  @Test
  void shardsGetATimeoutWhenFiveMinutesOrLessRemain() {
    Deadline tenMinutes = millis(600_000);
    assertThat(DeadlineTimeouts.hasShardTimeout(Deadline.NONE, () -> 0)).isFalse();
    assertThat(DeadlineTimeouts.hasShardTimeout(tenMinutes, () -> 0)).isFalse();
    assertThat(DeadlineTimeouts.hasShardTimeout(tenMinutes, () -> 300_000_000_000L)).isTrue();
    assertThat(DeadlineTimeouts.hasShardTimeout(millis(500), () -> 0)).isTrue();
  }

  @Test
  void shardsNeverGetMoreThanIsLeftNorNothing() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 10_000; i++) {
      long length = random.nextLong() >>> random.nextInt(1, 64);
      Deadline deadline = Deadline.after(7, Duration.ofNanos(length), "a test");
      long left = Math.max(1, deadline.remainingNanos(7) / 1_000_000);
      assertThat(DeadlineTimeouts.shardTimeoutMillis(deadline, () -> 7)).isBetween(1L, left);
    }
  }
}
