package dev.weir.client.settings;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads sizes as OpenSearch writes them. */
public final class ByteSizes {
  private static final Pattern SIZE = Pattern.compile("(\\d+(?:\\.\\d+)?) ?([kmgtp]?)b?");
  private static final int BITS_OF_UNIT = 10;

  private ByteSizes() {}

  /** Parses a size such as {@code 40mb}; returns -1 if it is none. */
  public static long parse(String text) {
    Matcher parts = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!parts.matches()) {
      return -1;
    }
    int power = "kmgtp".indexOf(parts.group(2)) + 1;
    long unit = parts.group(2).isEmpty() ? 1 : 1L << (BITS_OF_UNIT * power);
    return (long) (Double.parseDouble(parts.group(1)) * unit);
  }
}
