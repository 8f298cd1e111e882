package dev.weir.routing.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class StallHistoryTest {
  private static final long MILLI = 1_000_000;

  private static StallHistory unsteady() {
    StallHistory history = StallHistory.NONE;
    for (int i = 0; i < 6; i++) {
      history = history.withStall(40e6, 50L * i * MILLI);
    }
    return history;
  }

  @Test
  void forgiveStallsThatAreFarApart() {
    StallHistory history = StallHistory.NONE;
    for (long seconds = 0; seconds < 200; seconds += 10) {
      history = history.withStall(1e9, seconds * 1000 * MILLI);
      assertThat(history.unsteady()).isFalse();
    }
  }

  @Test
  void distrustANodeAfterThreeStallsInARow() {
    StallHistory twice = StallHistory.NONE.withStall(40e6, 0).withStall(40e6, 50 * MILLI);
    assertThat(twice.unsteady()).isFalse();
    assertThat(twice.withStall(40e6, 100 * MILLI).unsteady()).isTrue();
  }

  @Test
  void trustItAgainAfterSomePassedTests() {
    StallHistory history = unsteady();
    long now = 250 * MILLI;
    int tests = 0;
    while (history.unsteady() && tests < 10) {
      now += history.testIntervalNanos();
      history = history.withSteadyResponse(now);
      tests++;
    }
    assertThat(tests).isEqualTo(4);
    assertThat(history.withStall(40e6, now + 50 * MILLI).unsteady())
        .as("it stands still again at once")
        .isTrue();
  }

  @Test
  void countNoResponsesBetweenTwoStallsAsTests() {
    StallHistory history = unsteady();
    for (int i = 0; i < 50; i++) {
      history = history.withSteadyResponse(251 * MILLI + i * MILLI);
    }
    assertThat(history).isEqualTo(unsteady());
  }

  @Test
  void testMoreRarelyAfterLongerStalls() {
    assertThat(unsteady().testIntervalNanos()).isEqualTo(160 * MILLI);
    assertThat(unsteady().withStall(2e6, 300 * MILLI).testIntervalNanos()).isEqualTo(100 * MILLI);
  }
}
