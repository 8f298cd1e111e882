package dev.weir.admission.pace;

import dev.weir.config.policy.PacingPolicy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one key of a rule: one of requests, one of bytes. Guarded by its own lock. A
 * thread that locks several does so in the order of {@link #lockOrder}.
 */
final class KeyBuckets {
  private static final AtomicLong LOCK_ORDERS = new AtomicLong();

  private final long lockOrder = LOCK_ORDERS.incrementAndGet();
  private final String key;
  private final AtomicInteger references = new AtomicInteger();
  private final @Nullable GcraBucket requests;
  private final @Nullable GcraBucket bytes;

  /** Creates full buckets. */
  KeyBuckets(String key, PacingPolicy.Rule rule, long nowNanos) {
    this.key = key;
    this.requests =
        rule.requestsPerSecond() > 0
            ? new GcraBucket(rule.requestsPerSecond(), rule.effectiveBurstRequests(), nowNanos)
            : null;
    this.bytes =
        rule.bytesPerSecond().bytes() > 0
            ? new GcraBucket(rule.bytesPerSecond().bytes(), rule.effectiveBurstBytes(), nowNanos)
            : null;
  }

  /** Returns the position of this lock in the order of locks. */
  long lockOrder() {
    return lockOrder;
  }

  String key() {
    return key;
  }

  @Nullable GcraBucket requests() {
    return requests;
  }

  @Nullable GcraBucket bytes() {
    return bytes;
  }

  /** Prevents eviction while a request uses the buckets. */
  void retain() {
    references.incrementAndGet();
  }

  /** Ends a request's use of the buckets. */
  void release() {
    references.decrementAndGet();
  }

  /**
   * Returns whether evicting the buckets changes nothing: no request uses them, and they are full.
   */
  boolean canEvict(long nowNanos) {
    if (references.get() > 0) {
      return false;
    }
    synchronized (this) {
      return (requests == null || requests.isFull(nowNanos))
          && (bytes == null || bytes.isFull(nowNanos));
    }
  }
}
