package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class TargetCircuitBreakerTest {
  private long now = -5;
  private final TargetCircuitBreaker breaker = new TargetCircuitBreaker("green", () -> now);

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      breaker.recordFailure();
    }
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  @Test
  void openAfterFailuresInARow() {
    fail(TargetCircuitBreaker.MAX_FAILURES - 1);
    assertThat(breaker.shouldTry()).isTrue();
    fail(1);
    assertThat(breaker.shouldTry()).isFalse();
  }

  @Test
  void countOnlyFailuresInARow() {
    for (int i = 0; i < 5; i++) {
      fail(TargetCircuitBreaker.MAX_FAILURES - 1);
      breaker.recordSuccess();
    }
    assertThat(breaker.shouldTry()).isTrue();
  }

  @Test
  void probeOnceInAnIntervalEvenWithoutAnyResult() {
    fail(TargetCircuitBreaker.MAX_FAILURES);
    for (int i = 0; i < 3; i++) {
      pass(TargetCircuitBreaker.PROBE_INTERVAL.minusMillis(1));
      assertThat(breaker.shouldTry()).isFalse();
      pass(Duration.ofMillis(1));
      assertThat(breaker.shouldTry()).isTrue();
      assertThat(breaker.shouldTry()).isFalse();
    }
  }

  @Test
  void stayOpenAfterAFailedProbe() {
    fail(TargetCircuitBreaker.MAX_FAILURES);
    pass(TargetCircuitBreaker.PROBE_INTERVAL);
    assertThat(breaker.shouldTry()).isTrue();
    fail(1);
    assertThat(breaker.shouldTry()).isFalse();
    pass(TargetCircuitBreaker.PROBE_INTERVAL);
    assertThat(breaker.shouldTry()).isTrue();
  }

  @Test
  void closeAfterAnyResponse() {
    fail(TargetCircuitBreaker.MAX_FAILURES);
    breaker.recordSuccess();
    assertThat(breaker.shouldTry()).isTrue();
    fail(TargetCircuitBreaker.MAX_FAILURES - 1);
    assertThat(breaker.shouldTry()).isTrue();
    fail(1);
    assertThat(breaker.shouldTry()).isFalse();
  }
}
