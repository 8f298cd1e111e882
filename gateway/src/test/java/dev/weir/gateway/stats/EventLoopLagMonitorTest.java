package dev.weir.gateway.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class EventLoopLagMonitorTest {
  private final AtomicLong nanos = new AtomicLong(-5);
  private final EventLoopLagMonitor lag = new EventLoopLagMonitor(0, nanos::get);

  private void pass(long millis) {
    nanos.addAndGet(Duration.ofMillis(millis).toNanos());
  }

  private long millis() {
    return Duration.ofNanos(lag.maxDelayNanos()).toMillis();
  }

  @Test
  void reportNoLagOfAnIdleLoop() {
    pass(100);
    lag.run();
    pass(50);
    assertThat(millis()).isZero();
  }

  @Test
  void includeATaskThatHasNotRunYet() {
    pass(100);
    lag.run();
    pass(100 + 700);
    assertThat(millis()).isEqualTo(700);
  }

  @Test
  void keepTheLongestDelayForAWindow() {
    pass(100 + 700);
    lag.run();
    pass(100 + 30);
    lag.run();
    assertThat(millis()).isEqualTo(700);
    runFor(19);
    assertThat(millis()).isEqualTo(700);
    runFor(21);
    assertThat(millis()).isZero();
  }

  @Test
  void reportADelayBeyondTheEndOfItsWindow() {
    runFor(19);
    pass(100 + 700);
    lag.run();
    runFor(10);
    assertThat(millis()).isEqualTo(700);
  }

  private void runFor(int seconds) {
    for (int i = 0; i < seconds * 10; i++) {
      pass(100);
      lag.run();
    }
  }
}
