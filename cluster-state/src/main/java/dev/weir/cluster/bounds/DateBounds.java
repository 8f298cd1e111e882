package dev.weir.cluster.bounds;

/**
 * The earliest and the latest value of a date field in one index.
 *
 * @param min milliseconds since the epoch, inclusive
 * @param max milliseconds since the epoch, inclusive
 * @param format the field's date format; empty for the default
 */
public record DateBounds(long min, long max, String format) {
  /** Rejects an empty range. */
  public DateBounds {
    if (min > max) {
      throw new IllegalArgumentException("got " + min + " to " + max + " (expected: min <= max)");
    }
  }
}
