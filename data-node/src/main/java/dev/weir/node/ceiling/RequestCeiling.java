package dev.weir.node.ceiling;

import org.jspecify.annotations.Nullable;

/**
 * What one search may hold on one node.
 *
 * @param maxBytes heap bytes; {@link Long#MAX_VALUE} for no limit
 * @param maxBuckets buckets of aggregations; {@link Long#MAX_VALUE} for no limit
 * @param searchId names the search; empty if the gateway does not say
 */
record RequestCeiling(long maxBytes, long maxBuckets, String searchId) {
  /**
   * Reads a header's value: {@code name=value} parts, separated by commas, such as {@code
   * bytes=67108864,buckets=100000,search=3Fa9/17}. Unknown names are ignored, so that a newer
   * gateway may say more.
   *
   * @return null if the value sets no limit, because it has no readable one
   */
  static @Nullable RequestCeiling parse(@Nullable String header) {
    if (header == null) {
      return null;
    }
    long bytes = Long.MAX_VALUE;
    long buckets = Long.MAX_VALUE;
    String search = "";
    for (String part : header.split(",")) {
      int sign = part.indexOf('=');
      if (sign < 0) {
        continue;
      }
      String value = part.substring(sign + 1).strip();
      switch (part.substring(0, sign).strip()) {
        case "bytes" -> bytes = limit(value, bytes);
        case "buckets" -> buckets = limit(value, buckets);
        case "search" -> search = value;
        default -> {}
      }
    }
    return bytes == Long.MAX_VALUE && buckets == Long.MAX_VALUE
        ? null
        : new RequestCeiling(bytes, buckets, search);
  }

  /** Returns the number, or the limit so far if there is none that is readable. */
  private static long limit(String digits, long before) {
    try {
      long number = Long.parseLong(digits);
      return number < 0 ? before : number;
    } catch (NumberFormatException unreadable) {
      return before;
    }
  }
}
