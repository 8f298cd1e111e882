package dev.weir.bluegreen.dual;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether a cluster is tried that did not answer lately: after some requests in a row for which it
 * did nothing in time, one is tried every now and then, and the others don't wait for it. Safe on
 * any thread.
 */
final class Patience {
  /** After so many requests in a row. */
  static final int MOST = 3;

  /** So often one is tried then. */
  static final Duration EVERY = Duration.ofSeconds(1);

  private final AtomicInteger inVain = new AtomicInteger();
  private final AtomicLong nextNanos = new AtomicLong();

  /** Whether the next request is tried. */
  boolean tries(long nowNanos) {
    if (inVain.get() < MOST) {
      return true;
    }
    long next = nextNanos.get();
    return nowNanos - next >= 0 && nextNanos.compareAndSet(next, nowNanos + EVERY.toNanos());
  }

  /** It has answered something. */
  void answered() {
    if (inVain.get() != 0) {
      inVain.set(0);
    }
  }

  /** It has done nothing of a request in time. */
  void inVain(long nowNanos) {
    if (inVain.incrementAndGet() == MOST) {
      nextNanos.set(nowNanos + EVERY.toNanos());
    }
  }
}
