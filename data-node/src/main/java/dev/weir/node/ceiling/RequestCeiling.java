package dev.weir.node.ceiling;

import org.jspecify.annotations.Nullable;

/**
 * What one search may hold on one node.
 *
 * @param maxBytes heap bytes; {@link Long#MAX_VALUE} for no limit
 * @param maxBuckets buckets of aggregations; {@link Long#MAX_VALUE} for no limit
 */
record RequestCeiling(long maxBytes, long maxBuckets) {
  /**
   * Reads a header's value: {@code name=number} parts, separated by commas, such as {@code
   * bytes=67108864,buckets=100000}. Unknown names are ignored, so that a newer gateway may say
   * more.
   *
   * @return null if the value sets no limit, because it has no readable one
   */
  static @Nullable RequestCeiling parse(@Nullable String header) {
    if (header == null) {
      return null;
    }
    long bytes = Long.MAX_VALUE;
    long buckets = Long.MAX_VALUE;
    for (String part : header.split(",")) {
      int sign = part.indexOf('=');
      long number = sign < 0 ? -1 : number(part.substring(sign + 1).strip());
      if (number >= 0) {
        switch (part.substring(0, sign).strip()) {
          case "bytes" -> bytes = number;
          case "buckets" -> buckets = number;
          default -> {}
        }
      }
    }
    return bytes == Long.MAX_VALUE && buckets == Long.MAX_VALUE
        ? null
        : new RequestCeiling(bytes, buckets);
  }

  /** Returns the number, or -1 for anything else. */
  private static long number(String digits) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException unreadable) {
      return -1;
    }
  }
}
