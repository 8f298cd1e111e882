package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * What W3C's {@code traceparent} header says: which trace a request belongs to, and by which of its
 * spans it was sent.
 *
 * @param traceId 32 lower-case hexadecimal digits, not all 0
 * @param spanId 16 of them, not all 0
 * @param sampled whether the sender records its span
 */
public record TraceParent(String traceId, String spanId, boolean sampled) {
  /** The header's name. */
  public static final String HEADER = "traceparent";

  /** {@code VERSION-TRACE-SPAN-FLAGS}. */
  private static final int LENGTH = 55;

  private static final int SPAN = 36;
  private static final int FLAGS = 53;

  /**
   * Reads a value.
   *
   * @return null for one that is to be ignored: what is malformed, ids of zeros alone, version ff;
   *     of later versions than 00 is read what they have in common with it
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

  /** As the header says it. */
  @Override
  public String toString() {
    return "00-" + traceId + '-' + spanId + (sampled ? "-01" : "-00");
  }
}
