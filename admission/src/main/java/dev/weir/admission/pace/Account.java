package dev.weir.admission.pace;

import dev.weir.config.policy.PacingPolicy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What one key of a rule may still send. Its buckets are guarded by its own lock; whoever locks
 * several accounts does so in the order of their numbers.
 */
final class Account {
  private static final AtomicLong NUMBERS = new AtomicLong();

  private final long number = NUMBERS.incrementAndGet();
  private final String key;
  private final AtomicInteger users = new AtomicInteger();
  private final @Nullable Bucket requests;
  private final @Nullable Bucket bytes;

  /** Makes one from which nothing was taken yet. */
  Account(String key, PacingPolicy.Rule rule, long nowNanos) {
    this.key = key;
    this.requests =
        rule.requestsPerSecond() > 0
            ? new Bucket(rule.requestsPerSecond(), rule.mostRequests(), nowNanos)
            : null;
    this.bytes =
        rule.bytesPerSecond().bytes() > 0
            ? new Bucket(rule.bytesPerSecond().bytes(), rule.mostBytes(), nowNanos)
            : null;
  }

  /** Orders locks. */
  long number() {
    return number;
  }

  String key() {
    return key;
  }

  @Nullable Bucket requests() {
    return requests;
  }

  @Nullable Bucket bytes() {
    return bytes;
  }

  /** A request refers to it from now on: it is not forgotten. */
  void use() {
    users.incrementAndGet();
  }

  /** The request does no more. */
  void leave() {
    users.decrementAndGet();
  }

  /** Whether it can be forgotten without anybody noticing. */
  boolean forgettable(long nowNanos) {
    if (users.get() > 0) {
      return false;
    }
    synchronized (this) {
      return (requests == null || requests.full(nowNanos))
          && (bytes == null || bytes.full(nowNanos));
    }
  }
}
