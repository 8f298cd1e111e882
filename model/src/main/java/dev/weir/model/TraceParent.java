package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * The content of W3C's {@code traceparent} header: the trace that a request belongs to, and the
 * span that sent it.
 *
 * @param traceId 32 lower-case hexadecimal digits, not all 0
 * @param spanId 16 of them, not all 0
 * @param sampled whether the sender records its span
 */
public record TraceParent(String traceId, String spanId, boolean sampled) {
  /** The header's name. */
  public static final String HEADER = "traceparent";

  /** The length of {@code VERSION-TRACE-SPAN-FLAGS}. */
  private static final int LENGTH = 55;

  private static final int SPAN = 36;
  private static final int FLAGS = 53;

  /**
   * Parses a value.
   *
   * @return null for a value that must be ignored: malformed, an id of only zeros, or version ff.
   *     For versions above 00 it parses the fields of version 00.
   */
  public static @Nullable TraceParent parse(String value) {
    if (value.length() < LENGTH
        || !isHex(value, 0, 2)
        || value.charAt(2) != '-'
        || value.charAt(SPAN - 1) != '-'
        || value.charAt(FLAGS - 1) != '-'
        || !isId(value, 3, SPAN - 1)
        || !isId(value, SPAN, FLAGS - 1)
        || !isHex(value, FLAGS, LENGTH)
        || !isVersion(value)) {
      return null;
    }
    boolean sampled = (Character.digit(value.charAt(LENGTH - 1), 16) & 1) == 1;
    return new TraceParent(value.substring(3, SPAN - 1), value.substring(SPAN, FLAGS - 1), sampled);
  }

  private static boolean isVersion(String value) {
    if (value.startsWith("ff")) {
      return false;
    }
    return value.length() == LENGTH || (!value.startsWith("00") && value.charAt(LENGTH) == '-');
  }

  private static boolean isId(String value, int from, int to) {
    if (!isHex(value, from, to)) {
      return false;
    }
    for (int i = from; i < to; i++) {
      if (value.charAt(i) != '0') {
        return true;
      }
    }
    return false;
  }

  private static boolean isHex(String value, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = value.charAt(i);
      if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
        return false;
      }
    }
    return true;
  }

  /** Returns the header's value. */
  @Override
  public String toString() {
    return "00-" + traceId + '-' + spanId + (sampled ? "-01" : "-00");
  }
}
