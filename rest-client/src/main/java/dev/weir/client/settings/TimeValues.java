package dev.weir.client.settings;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads times as OpenSearch writes them. */
public final class TimeValues {
  private static final Pattern TIME =
      Pattern.compile("(\\d{1,9}) ?(nanos|micros|ms|MS|s|S|m|h|H|d|D)");

  private TimeValues() {}

  /** Parses a time such as {@code 500ms} to milliseconds; returns -1 if it is none. */
  public static long toMillis(String text) {
    Matcher parts = TIME.matcher(text.strip());
    if (!parts.matches()) {
      return -1;
    }
    long count = Long.parseLong(parts.group(1));
    return switch (parts.group(2)) {
      case "nanos" -> count / 1_000_000;
      case "micros" -> count / 1000;
      case "ms", "MS" -> count;
      case "s", "S" -> Duration.ofSeconds(count).toMillis();
      case "m" -> Duration.ofMinutes(count).toMillis();
      case "h", "H" -> Duration.ofHours(count).toMillis();
      default -> Duration.ofDays(count).toMillis();
    };
  }
}
