package dev.weir.config.load;

import dev.weir.config.policy.Attribute;
import dev.weir.config.policy.AutoTime;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.Sections;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads single values from their text. */
final class Scalars {
  private static final Pattern AMOUNT = Pattern.compile("(\\d{1,15})\\s*([a-z]*)");
  private static final Pattern PERCENT = Pattern.compile("([1-9]\\d{0,2})\\s*%");
  private static final String SIZE =
      "a size with a unit (b, kb, mb, gb, tb), such as 100mb, or a share of the heap, such as 15%";
  private static final long MEGABYTE = 1 << 20;
  private static final Map<String, Duration> TIME_UNITS =
      Map.of(
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "m", Duration.ofMinutes(1),
          "h", Duration.ofHours(1),
          "d", Duration.ofDays(1));
  private static final Map<String, Long> SIZE_UNITS =
      Map.of("b", 1L, "kb", 1L << 10, "mb", 1L << 20, "gb", 1L << 30, "tb", 1L << 40);

  private Scalars() {}

  /** Says that a text is no value of the type. */
  static final class NotReadable extends Exception {
    private static final long serialVersionUID = 1L;

    final String expected;
    final String hint;

    NotReadable(String expected, String hint) {
      super(expected, null, false, false);
      this.expected = expected;
      this.hint = hint;
    }
  }

  /** Whether a type is a single value's. */
  static boolean isScalar(Class<?> type) {
    return !Sections.isSection(type);
  }

  static Object read(Class<?> type, String text) throws NotReadable {
    if (type == String.class) {
      return text;
    } else if (type == boolean.class) {
      return bool(text);
    } else if (type == int.class) {
      return integer(text);
    } else if (type == double.class || type == Double.class) {
      return number(text);
    } else if (type == Duration.class) {
      return duration(text);
    } else if (type == AutoTime.class) {
      return autoTime(text);
    } else if (type == ByteSize.class) {
      return size(text);
    } else if (type == HostPort.class) {
      return hostPort(text);
    } else if (type == Attribute.class) {
      return attribute(text);
    } else if (type.isEnum()) {
      return choice(type, text);
    }
    throw new IllegalArgumentException("got the type " + type + " (expected: a known scalar)");
  }

  static String kebab(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static boolean bool(String text) throws NotReadable {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new NotReadable("true or false", NearMiss.hint(text, List.of("true", "false")));
    };
  }

  private static int integer(String text) throws NotReadable {
    try {
      return Integer.parseInt(text.replace("_", ""));
    } catch (NumberFormatException e) {
      throw new NotReadable("a whole number", "");
    }
  }

  private static double number(String text) throws NotReadable {
    try {
      double value = Double.parseDouble(text);
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // falls through to the one message
    }
    throw new NotReadable("a number", "");
  }

  private static Duration duration(String text) throws NotReadable {
    Matcher matcher = AMOUNT.matcher(text);
    if (matcher.matches()) {
      Duration unit = TIME_UNITS.get(matcher.group(2));
      long amount = Long.parseLong(matcher.group(1));
      if (unit != null && amount <= Long.MAX_VALUE / unit.toMillis()) {
        return unit.multipliedBy(amount);
      }
    }
    String hint = text.matches("\\d+") ? "add a unit: '" + text + "ms' or '" + text + "s'" : "";
    throw new NotReadable("a time with a unit (ms, s, m, h, d), such as 400ms", hint);
  }

  private static AutoTime autoTime(String text) throws NotReadable {
    if (text.equals("auto")) {
      return AutoTime.AUTO;
    }
    try {
      Duration time = duration(text);
      if (!time.isZero()) {
        return new AutoTime(time);
      }
    } catch (NotReadable e) {
      throw new NotReadable("auto, or " + e.expected, e.hint);
    }
    throw new NotReadable("auto, or a time longer than 0", "");
  }

  private static ByteSize size(String text) throws NotReadable {
    if (text.endsWith("%")) {
      return share(text);
    }
    Matcher matcher = AMOUNT.matcher(text.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      Long unit = SIZE_UNITS.get(matcher.group(2));
      long amount = Long.parseLong(matcher.group(1));
      if (unit != null && amount <= Long.MAX_VALUE / unit) {
        return new ByteSize(amount * unit);
      }
    }
    String hint = text.matches("\\d+") ? "add a unit: '" + text + "b' or '" + text + "mb'" : "";
    throw new NotReadable(SIZE, hint);
  }

  /** A share of the heap, in whole megabytes where it has any. */
  private static ByteSize share(String text) throws NotReadable {
    Matcher matcher = PERCENT.matcher(text);
    if (!matcher.matches() || Integer.parseInt(matcher.group(1)) > 100) {
      throw new NotReadable(SIZE, "");
    }
    long heap = Runtime.getRuntime().maxMemory();
    long bytes = heap / 100 * Integer.parseInt(matcher.group(1));
    return new ByteSize(bytes < MEGABYTE ? bytes : bytes / MEGABYTE * MEGABYTE);
  }

  private static HostPort hostPort(String text) throws NotReadable {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? text : text.substring(0, colon);
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    if (bracketed) {
      host = host.substring(1, host.length() - 1);
    }
    String hint = "";
    if (text.contains("://")) {
      hint = "leave out '" + text.substring(0, text.indexOf("://") + 3) + "'";
    } else if (text.matches("\\d+")) {
      hint = "did you mean '127.0.0.1:" + text + "'?";
    } else if (colon < 0 && !text.isEmpty()) {
      hint = "add a port, such as '" + text + ":9300'";
    } else if (!bracketed && host.indexOf(':') >= 0) {
      hint = "write an IPv6 address in brackets, such as '[::1]:9200'";
    } else if (!host.isEmpty() && host.chars().noneMatch(Character::isWhitespace)) {
      try {
        int port = Integer.parseInt(text.substring(colon + 1));
        if (port >= 0 && port <= 65535) {
          return new HostPort(host, port);
        }
      } catch (NumberFormatException e) {
        // falls through to the one message
      }
    }
    throw new NotReadable("host:port", hint);
  }

  private static Attribute attribute(String text) throws NotReadable {
    int equals = text.indexOf('=');
    if (equals > 0 && equals < text.length() - 1) {
      return new Attribute(text.substring(0, equals), text.substring(equals + 1));
    }
    throw new NotReadable("NAME=VALUE, such as zone=a", "");
  }

  private static Object choice(Class<?> type, String text) throws NotReadable {
    List<Enum<?>> constants =
        Arrays.stream(type.getEnumConstants()).<Enum<?>>map(Enum.class::cast).toList();
    for (Enum<?> constant : constants) {
      if (kebab(constant).equals(text)) {
        return constant;
      }
    }
    List<String> words = constants.stream().map(Scalars::kebab).toList();
    throw new NotReadable("one of " + String.join(", ", words), NearMiss.hint(text, words));
  }
}
