package dev.weir.model;

import java.time.Duration;

/**
 * The moment at which a request's client stops waiting, by a monotonic clock. A request without a
 * deadline may take any time.
 */
public final class Deadline {
  /** No deadline: it never passes. */
  public static final Deadline NONE = new Deadline(0, Duration.ZERO, "");

  /** So far in the future that it never passes, yet differences of clock values do not overflow. */
  private static final long FAR_NANOS = Long.MAX_VALUE / 4;

  private final long atNanos;
  private final Duration timeout;
  private final String setBy;

  private Deadline(long atNanos, Duration length, String setBy) {
    this.atNanos = atNanos;
    this.timeout = length;
    this.setBy = setBy;
  }

  /**
   * Creates a deadline.
   *
   * @param fromNanos the start by the monotonic clock, nanoseconds
   * @param length the time from the start to the deadline; negative values count as zero
   * @param setBy the origin of the deadline for display, such as {@code header X-Weir-Timeout}; not
   *     empty
   */
  public static Deadline after(long fromNanos, Duration length, String setBy) {
    if (setBy.isEmpty()) {
      throw new IllegalArgumentException("got no origin of a deadline (expected: a name)");
    }
    return new Deadline(fromNanos + nanos(length), length, setBy);
  }

  private static long nanos(Duration length) {
    if (length.isNegative()) {
      return 0;
    }
    return length.compareTo(Duration.ofNanos(FAR_NANOS)) < 0 ? length.toNanos() : FAR_NANOS;
  }

  /** Returns whether there is a deadline. */
  public boolean isSet() {
    return !setBy.isEmpty();
  }

  /** Returns the time from the start to the deadline. */
  public Duration timeout() {
    return timeout;
  }

  /** Returns the origin of the deadline for display; empty without a deadline. */
  public String setBy() {
    return setBy;
  }

  /**
   * Returns the remaining time in nanoseconds: negative after the deadline, {@link Long#MAX_VALUE}
   * without one.
   *
   * @param nowNanos the monotonic clock's value
   */
  public long remainingNanos(long nowNanos) {
    return isSet() ? atNanos - nowNanos : Long.MAX_VALUE;
  }

  /** Returns whether the deadline has passed. */
  public boolean hasPassed(long nowNanos) {
    return isSet() && atNanos - nowNanos <= 0;
  }

  /** Returns the earlier deadline; this one if they are equal. */
  public Deadline earlierOf(Deadline other) {
    if (!other.isSet()) {
      return this;
    }
    return !isSet() || other.atNanos - atNanos < 0 ? other : this;
  }

  @Override
  public String toString() {
    return isSet() ? timeout.toMillis() + "ms set by " + setBy : "none";
  }
}
