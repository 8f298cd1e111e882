package dev.weir.admission.deadline;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses a timeout that a client sends in a header. */
final class TimeoutHeaderParser {
  /** The header that gRPC defines; in its values {@code m} stands for milliseconds. */
  private static final String GRPC = "grpc-timeout";

  private static final int MAX_SHOWN_LENGTH = 64;

  /** OpenSearch's time values without fractions. Excludes -1 and 0, which mean no timeout. */
  private static final Pattern TIME = Pattern.compile("0*([1-9]\\d{0,11})\\s*([a-z]+)");

  /** gRPC's notation (PROTOCOL-HTTP2): at most 8 digits and a unit. */
  private static final Pattern GRPC_TIME = Pattern.compile("0{0,7}([1-9]\\d{0,7})([HMSmun])");

  private static final Map<String, ChronoUnit> UNITS =
      Map.of(
          "nanos", ChronoUnit.NANOS,
          "micros", ChronoUnit.MICROS,
          "ms", ChronoUnit.MILLIS,
          "s", ChronoUnit.SECONDS,
          "m", ChronoUnit.MINUTES,
          "h", ChronoUnit.HOURS,
          "d", ChronoUnit.DAYS);

  private static final Map<String, ChronoUnit> GRPC_UNITS =
      Map.of(
          "n", ChronoUnit.NANOS,
          "u", ChronoUnit.MICROS,
          "m", ChronoUnit.MILLIS,
          "S", ChronoUnit.SECONDS,
          "M", ChronoUnit.MINUTES,
          "H", ChronoUnit.HOURS);

  private TimeoutHeaderParser() {}

  /**
   * Parses a header's value.
   *
   * @param header the header's name
   * @throws IllegalArgumentException if the value is not a timeout
   */
  static Duration parse(String header, String value) {
    boolean grpc = header.equalsIgnoreCase(GRPC);
    String text = grpc ? value.strip() : value.strip().toLowerCase(Locale.ROOT);
    Matcher written = (grpc ? GRPC_TIME : TIME).matcher(text);
    ChronoUnit unit = written.matches() ? (grpc ? GRPC_UNITS : UNITS).get(written.group(2)) : null;
    if (unit == null) {
      String shown =
          value.length() > MAX_SHOWN_LENGTH ? value.substring(0, MAX_SHOWN_LENGTH) + ".." : value;
      throw new IllegalArgumentException(
          "got ["
              + shown
              + "] in header "
              + header
              + " (expected: how long the client waits, such as "
              + (grpc ? "500m for 500 milliseconds)" : "500ms, 2s or 1m)"));
    }
    return Duration.of(Long.parseLong(written.group(1)), unit);
  }
}
