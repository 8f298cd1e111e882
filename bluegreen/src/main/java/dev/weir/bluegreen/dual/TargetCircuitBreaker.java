package dev.weir.bluegreen.dual;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The circuit breaker of a target cluster. After several requests in a row without any progress in
 * time it opens: only an occasional request tries the target, and the others do not wait for it.
 * Safe on any thread.
 */
final class TargetCircuitBreaker {
  /** The number of failed requests in a row that opens it. */
  static final int MAX_FAILURES = 3;

  /** The interval of attempts while it is open. */
  static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);

  private final AtomicInteger consecutiveFailures = new AtomicInteger();
  private final AtomicLong nextProbeNanos = new AtomicLong();

  /** Whether the next request may try the target. */
  boolean shouldTry(long nowNanos) {
    if (consecutiveFailures.get() < MAX_FAILURES) {
      return true;
    }
    long next = nextProbeNanos.get();
    return nowNanos - next >= 0
        && nextProbeNanos.compareAndSet(next, nowNanos + PROBE_INTERVAL.toNanos());
  }

  /** Records a response. */
  void recordSuccess() {
    if (consecutiveFailures.get() != 0) {
      consecutiveFailures.set(0);
    }
  }

  /** Records a request without progress in time. */
  void recordFailure(long nowNanos) {
    if (consecutiveFailures.incrementAndGet() == MAX_FAILURES) {
      nextProbeNanos.set(nowNanos + PROBE_INTERVAL.toNanos());
    }
  }
}
