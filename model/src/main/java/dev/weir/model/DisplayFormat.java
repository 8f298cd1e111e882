package dev.weir.model;

import java.util.Locale;

/** Formats values for people. */
public final class DisplayFormat {
  private static final double THOUSAND = 1e3;
  private static final int MAX_URI_LENGTH = 200;

  private static final String[] UNITS = {"b", "kb", "mb", "gb", "tb", "pb", "eb"};
  private static final double UNIT = 1024;

  private DisplayFormat() {}

  /** Formats bytes with a unit, rounded down to one decimal as OpenSearch does: {@code 1.5mb}. */
  public static String formatBytes(long bytes) {
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

  /** Formats a request line, shortened to one line of text. */
  public static String formatRequest(String method, String uri) {
    return method
        + " "
        + (uri.length() > MAX_URI_LENGTH ? uri.substring(0, MAX_URI_LENGTH) + "..." : uri);
  }

  /** Truncates a text to at most this many characters. */
  public static String truncate(String text, int max) {
    return text.length() <= max ? text : text.substring(0, max);
  }

  /** Formats a constant's name in lower case with hyphens. */
  public static String toKebabCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Rounds to at most three digits after the decimal point. */
  public static double roundToThousandths(double value) {
    return Math.round(value * THOUSAND) / THOUSAND;
  }
}
