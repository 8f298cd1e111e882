package dev.weir.model;

import java.time.Duration;

/** The end of each message that rejects a request: whether a retry helps, and what to raise. */
public final class RetryAdvice {
  private RetryAdvice() {}

  /**
   * Returns the advice for a request that may succeed later.
   *
   * @param after the response's {@code Retry-After}, shown in whole seconds rounded up
   * @param limit what to raise: a configuration key, or words for it
   */
  public static String retry(Duration after, String limit) {
    return retry(after) + ", or raise " + limit;
  }

  /** Returns the advice for a request that may succeed later, without a limit to raise. */
  public static String retry(Duration after) {
    return "; retry after " + Math.max(1, Math.ceilDiv(after.toMillis(), 1000L)) + " s";
  }

  /** Returns the advice for a request that can't succeed with this limit. */
  public static String noRetry(String limit) {
    return "; a retry does not help: ask for less, or raise " + limit;
  }
}
