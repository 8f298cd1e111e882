package dev.weir.bluegreen.dual;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The circuit breaker of a target cluster. After several requests in a row without any progress in
 * time it opens: only an occasional request tries the target, and the others do not wait for it.
 * Safe on any thread.
 *
 * <p>It differs from Resilience4j's in two ways. A probe opens it again at once, so that the next
 * one follows after an interval even if the first never gets a response. Any response closes it,
 * also one to a request that was sent before it opened.
 */
final class TargetCircuitBreaker {
  /** The number of failed requests in a row that opens it. */
  static final int MAX_FAILURES = 3;

  /** The interval of attempts while it is open. */
  static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);

  private static final Exception NO_PROGRESS = new NoProgressException();

  private final CircuitBreaker breaker;

  /**
   * Creates a closed breaker.
   *
   * @param target the name of the cluster
   * @param nanoTime such as {@link System#nanoTime()}
   */
  TargetCircuitBreaker(String target, LongSupplier nanoTime) {
    this.breaker =
        CircuitBreaker.of(
            target,
            CircuitBreakerConfig.custom()
                .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
                .slidingWindowSize(MAX_FAILURES)
                .minimumNumberOfCalls(MAX_FAILURES)
                .failureRateThreshold(100)
                .permittedNumberOfCallsInHalfOpenState(1)
                // whole milliseconds; a probe is due after the end of the wait, not yet at its end
                .waitDurationInOpenState(PROBE_INTERVAL.minusMillis(1))
                .clock(new MonotonicClock(nanoTime))
                .build());
  }

  /** Whether the next request may try the target. */
  boolean shouldTry() {
    if (!breaker.tryAcquirePermission()) {
      return false;
    }
    if (breaker.getState() == CircuitBreaker.State.HALF_OPEN) {
      breaker.transitionToOpenState();
    }
    return true;
  }

  /** Records a response. */
  void recordSuccess() {
    if (breaker.getState() == CircuitBreaker.State.CLOSED) {
      breaker.onSuccess(0, TimeUnit.NANOSECONDS);
    } else {
      breaker.transitionToClosedState();
    }
  }

  /** Records a request without progress in time. */
  void recordFailure() {
    breaker.onError(0, TimeUnit.NANOSECONDS, NO_PROGRESS);
  }

  /** Stands for a timeout; the breaker does not look at it. */
  private static final class NoProgressException extends Exception {
    private static final long serialVersionUID = 1;

    NoProgressException() {
      super("no progress in time", null, false, false);
    }
  }

  /** The nanoseconds of a monotonic clock as instants, of which only differences have a meaning. */
  private static final class MonotonicClock extends Clock {
    private final LongSupplier nanoTime;
    private final long originNanos;

    MonotonicClock(LongSupplier nanoTime) {
      this.nanoTime = nanoTime;
      this.originNanos = nanoTime.getAsLong();
    }

    @Override
    public Instant instant() {
      return Instant.EPOCH.plusNanos(nanoTime.getAsLong() - originNanos);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
