package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long refusals are waited for, by times that a test gives. */
class SafetyWaitTest {
  private static final long SETTLE = SafetyCheck.SETTLE.toNanos();
  private static final long TIMEOUT = Duration.ofHours(4).toNanos();
  private static final List<Refusal> SNAPSHOT = List.of(Refusal.ofTransient("a snapshot runs"));
  private static final List<Refusal> WRITES = List.of(Refusal.lasting("writes wait for copies"));

  private final long begin = System.nanoTime();
  private final SafetyWait wait = new SafetyWait(line -> {}, begin + TIMEOUT);

  @Test
  void awaitWhatMayEndByItselfUntilTheTimeout() {
    assertThat(wait.isOver(SNAPSHOT, begin + 10 * SETTLE)).isFalse();
    assertThat(wait.isOver(SNAPSHOT, begin + TIMEOUT)).isFalse();
    assertThat(wait.isOver(SNAPSHOT, begin + TIMEOUT + 1)).isTrue();
  }

  @Test
  void awaitOthersForTwoMinutes() {
    assertThat(wait.isOver(WRITES, begin + SETTLE)).isFalse();
    assertThat(wait.isOver(WRITES, System.nanoTime() + SETTLE + 1)).isTrue();
  }

  @Test
  void awaitOthersForTwoMinutesAfterWhatEndedByItself() {
    assertThat(wait.isOver(SNAPSHOT, begin + 10 * SETTLE)).isFalse();
    assertThat(wait.isOver(WRITES, begin + 11 * SETTLE)).isFalse();
    assertThat(wait.isOver(WRITES, begin + 11 * SETTLE + 1)).isTrue();
  }
}
