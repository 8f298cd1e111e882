package dev.weir.cluster.bounds;

/**
 * The earliest and the latest value of a date field in one index.
 *
 * @param min milliseconds since 1970, inclusive
 * @param max milliseconds since 1970, inclusive
 * @param format by which the field reads dates; empty for the standard one
 */
public record DateBounds(long min, long max, String format) {
  /** Refuses what is no span. */
  public DateBounds {
    if (min > max) {
      throw new IllegalArgumentException("got " + min + " to " + max + " (expected: min <= max)");
    }
  }
}
