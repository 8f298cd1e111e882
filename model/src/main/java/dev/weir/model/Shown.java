package dev.weir.model;

import java.util.Locale;

/** How values are written for people. */
public final class Shown {
  private static final double THOUSAND = 1e3;
  private static final int LONGEST_URI = 200;

  private static final String[] UNITS = {"b", "kb", "mb", "gb", "tb", "pb", "eb"};
  private static final double UNIT = 1024;

  private Shown() {}

  /** Bytes in their unit, rounded down to a tenth of it as OpenSearch does: {@code 1.5mb}. */
  public static String bytes(long bytes) {
    int unit = 0;
    double value = bytes;
    while (value >= UNIT) {
      value /= UNIT;
      unit++;
    }
    double tenths = Math.floor(value * 10) / 10;
    String number =
        tenths == Math.rint(tenths) ? Long.toString((long) tenths) : Double.toString(tenths);
    return number + UNITS[unit];
  }

  /** A request by its method, path and query, not longer than a line. */
  public static String request(String method, String uri) {
    return method
        + " "
        + (uri.length() > LONGEST_URI ? uri.substring(0, LONGEST_URI) + "..." : uri);
  }

  /** A constant in small letters with hyphens. */
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A number with at most three digits after the point. */
  public static double rounded(double value) {
    return Math.round(value * THOUSAND) / THOUSAND;
  }
}
