package dev.weir.admission.pace;

import dev.weir.config.policy.PacingPolicy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What one key of a rule may still send. Its buckets are guarded by its own lock; whoever locks
 * several accounts does so in the order of their numbers.
 */
final class KeyBuckets {
  private static final AtomicLong LOCK_ORDERS = new AtomicLong();

  private final long lockOrder = LOCK_ORDERS.incrementAndGet();
  private final String key;
  private final AtomicInteger references = new AtomicInteger();
  private final @Nullable GcraBucket requests;
  private final @Nullable GcraBucket bytes;

  /** Makes one from which nothing was taken yet. */
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

  /** Orders locks. */
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

  /** A request refers to it from now on: it is not forgotten. */
  void retain() {
    references.incrementAndGet();
  }

  /** The request does no more. */
  void release() {
    references.decrementAndGet();
  }

  /** Whether it can be forgotten without anybody noticing. */
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
