package dev.weir.model;

import java.time.Duration;

/**
 * The moment at which a request's client stops waiting, by a monotonic clock. A request without a
 * deadline may take any time.
 */
public final class Deadline {
  /** No deadline: it never passes. */
  public static final Deadline NONE = new Deadline(0, Duration.ZERO, "");

  /** So far ahead that it never passes, and differences of the clock's values do not overflow. */
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
   * A deadline some time after a moment.
   *
   * @param fromNanos the moment by the monotonic clock, nanoseconds
   * @param length how long after it; one that is negative counts as zero
   * @param setBy who set it, for people, such as {@code header X-Weir-Timeout}; not empty
   */
  public static Deadline after(long fromNanos, Duration length, String setBy) {
    if (setBy.isEmpty()) {
      throw new IllegalArgumentException("got nobody who set a deadline (expected: a name)");
    }
    return new Deadline(fromNanos + nanos(length), length, setBy);
  }

  private static long nanos(Duration length) {
    if (length.isNegative()) {
      return 0;
    }
    return length.compareTo(Duration.ofNanos(FAR_NANOS)) < 0 ? length.toNanos() : FAR_NANOS;
  }

  /** Whether there is one. */
  public boolean isSet() {
    return !setBy.isEmpty();
  }

  /** How long it was, from when it was counted. */
  public Duration timeout() {
    return timeout;
  }

  /** Who set it, for people; empty for none. */
  public String setBy() {
    return setBy;
  }

  /**
   * What is left of it, in nanoseconds: negative when it has passed, {@link Long#MAX_VALUE} where
   * there is none.
   *
   * @param nowNanos the monotonic clock's value
   */
  public long remainingNanos(long nowNanos) {
    return isSet() ? atNanos - nowNanos : Long.MAX_VALUE;
  }

  /** Whether it has passed. */
  public boolean hasPassed(long nowNanos) {
    return isSet() && atNanos - nowNanos <= 0;
  }

  /** The one of the two that passes first; this one where they pass together. */
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
