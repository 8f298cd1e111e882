package dev.weir.admission.memory;

import dev.weir.admission.MemoryPool;
import dev.weir.config.policy.RequestMemoryPolicy;

/**
 * The part of a pool that one request, or one tenant, may hold: {@code ratio} of the bytes that all
 * others leave, so that {@code held * (1 - ratio) / ratio} bytes stay free. The first 32nd of the
 * pool is exempt. What holds more leaves a 16th free for what is exempt: many large requests never
 * take the last byte from small ones.
 */
record PoolShare(RequestMemoryPolicy policy, MemoryPool pool) {
  private static final int EXEMPT_DIVISOR = 32;

  static PoolShare of(RequestMemoryPolicy policy, MemoryPool pool) {
    return new PoolShare(policy, pool);
  }

  private double ratio() {
    return policy.enabled() ? policy.maxPoolRatio() : 1;
  }

  /** Returns the bytes that must stay free while one request or tenant holds {@code held}. */
  long requiredFreeBytes(long held) {
    return held <= exemptBytes()
        ? 0
        : Math.max(bytesForExempt(), (long) (held * ((1 - ratio()) / ratio())));
  }

  /** Returns the most bytes that one request may hold while no other holds any. */
  long maxBytesAlone() {
    return (long) (pool.limitBytes() * ratio());
  }

  /** Returns the most bytes that one request or tenant may hold beside others. */
  long maxBytesBeside(long heldByOthers) {
    long left = pool.limitBytes() - heldByOthers;
    return Math.max(exemptBytes(), Math.min((long) (left * ratio()), left - bytesForExempt()));
  }

  /** Returns the bytes that only requests within their exempt bytes may take. */
  private long bytesForExempt() {
    return Math.min(2 * exemptBytes(), pool.limitBytes() - maxBytesAlone());
  }

  private long exemptBytes() {
    return pool.limitBytes() / EXEMPT_DIVISOR;
  }
}
