package dev.weir.bluegreen.dual;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether a cluster is tried that did not answer lately: after some requests in a row for which it
 * did nothing in time, one is tried every now and then, and the others don't wait for it. Safe on
 * any thread.
 */
final class TargetCircuitBreaker {
  /** After so many requests in a row. */
  static final int MAX_FAILURES = 3;

  /** So often one is tried then. */
  static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);

  private final AtomicInteger consecutiveFailures = new AtomicInteger();
  private final AtomicLong nextProbeNanos = new AtomicLong();

  /** Whether the next request is tried. */
  boolean shouldTry(long nowNanos) {
    if (consecutiveFailures.get() < MAX_FAILURES) {
      return true;
    }
    long next = nextProbeNanos.get();
    return nowNanos - next >= 0
        && nextProbeNanos.compareAndSet(next, nowNanos + PROBE_INTERVAL.toNanos());
  }

  /** It has answered something. */
  void recordSuccess() {
    if (consecutiveFailures.get() != 0) {
      consecutiveFailures.set(0);
    }
  }

  /** It has done nothing of a request in time. */
  void recordFailure(long nowNanos) {
    if (consecutiveFailures.incrementAndGet() == MAX_FAILURES) {
      nextProbeNanos.set(nowNanos + PROBE_INTERVAL.toNanos());
    }
  }
}
