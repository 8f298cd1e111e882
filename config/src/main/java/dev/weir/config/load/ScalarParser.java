package dev.weir.config.load;

import dev.weir.config.policy.AutoDuration;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.ConfigKey;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.NodeAttribute;
import dev.weir.config.policy.SectionReflection;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses single values. */
final class ScalarParser {
  private static final Pattern AMOUNT = Pattern.compile("(\\d{1,15})\\s*([a-z]*)");
  private static final Pattern PERCENT = Pattern.compile("([1-9]\\d{0,2})\\s*%");
  private static final String SIZE = "a size with a unit (b, kb, mb, gb, tb), such as 100mb";
  private static final String SIZE_OR_SHARE = SIZE + ", or a share of the heap, such as 15%";
  private static final Map<String, Duration> TIME_UNITS =
      Map.of(
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "m", Duration.ofMinutes(1),
          "h", Duration.ofHours(1),
          "d", Duration.ofDays(1));
  private static final Map<String, Long> SIZE_UNITS =
      Map.of("b", 1L, "kb", 1L << 10, "mb", 1L << 20, "gb", 1L << 30, "tb", 1L << 40);

  private ScalarParser() {}

  /** Thrown when a text is not a value of its type. */
  static final class InvalidScalarException extends Exception {
    private static final long serialVersionUID = 1L;

    final String expected;
    final String hint;

    InvalidScalarException(String expected, String hint) {
      super(expected, null, false, false);
      this.expected = expected;
      this.hint = hint;
    }
  }

  /** Returns whether a type has single values. */
  static boolean isScalar(Class<?> type) {
    return !SectionReflection.isSection(type);
  }

  /** Returns whether a size may be a share of the heap: whether the key's default is one. */
  static boolean allowsHeapShare(@Nullable ConfigKey setting) {
    return setting != null && setting.value().endsWith("%");
  }

  /**
   * Parses what a file says.
   *
   * @param setting the key; null for an element of a list or a map
   */
  static Object parse(Class<?> type, String text, @Nullable ConfigKey setting)
      throws InvalidScalarException {
    return type == ByteSize.class ? size(text, allowsHeapShare(setting)) : parse(type, text);
  }

  static Object parse(Class<?> type, String text) throws InvalidScalarException {
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
    } else if (type == AutoDuration.class) {
      return autoTime(text);
    } else if (type == ByteSize.class) {
      return size(text, true);
    } else if (type == HostPort.class) {
      return hostPort(text);
    } else if (type == NodeAttribute.class) {
      return attribute(text);
    } else if (type.isEnum()) {
      return choice(type, text);
    }
    throw new IllegalArgumentException("got the type " + type + " (expected: a known scalar)");
  }

  static String toKebabCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static boolean bool(String text) throws InvalidScalarException {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new InvalidScalarException(
              "true or false", SpellingSuggester.suggest(text, List.of("true", "false")));
    };
  }

  private static int integer(String text) throws InvalidScalarException {
    try {
      return Integer.parseInt(text.replace("_", ""));
    } catch (NumberFormatException e) {
      throw new InvalidScalarException("a whole number", "");
    }
  }

  private static double number(String text) throws InvalidScalarException {
    try {
      double value = Double.parseDouble(text);
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new InvalidScalarException("a number", "");
  }

  private static Duration duration(String text) throws InvalidScalarException {
    Matcher matcher = AMOUNT.matcher(text);
    if (matcher.matches()) {
      Duration unit = TIME_UNITS.get(matcher.group(2));
      long amount = Long.parseLong(matcher.group(1));
      if (unit != null && amount <= Long.MAX_VALUE / unit.toMillis()) {
        return unit.multipliedBy(amount);
      }
    }
    String hint = text.matches("\\d+") ? "add a unit: '" + text + "ms' or '" + text + "s'" : "";
    throw new InvalidScalarException("a time with a unit (ms, s, m, h, d), such as 400ms", hint);
  }

  private static AutoDuration autoTime(String text) throws InvalidScalarException {
    if (text.equals("auto")) {
      return AutoDuration.AUTO;
    }
    try {
      Duration time = duration(text);
      if (!time.isZero()) {
        return new AutoDuration(time);
      }
    } catch (InvalidScalarException e) {
      throw new InvalidScalarException("auto, or " + e.expected, e.hint);
    }
    throw new InvalidScalarException("auto, or a time longer than 0", "");
  }

  private static ByteSize size(String text, boolean heapShareAllowed)
      throws InvalidScalarException {
    if (heapShareAllowed && text.endsWith("%")) {
      return heapRatio(text);
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
    throw new InvalidScalarException(heapShareAllowed ? SIZE_OR_SHARE : SIZE, hint);
  }

  /** Parses a percentage of the heap. */
  private static ByteSize heapRatio(String text) throws InvalidScalarException {
    Matcher matcher = PERCENT.matcher(text);
    if (!matcher.matches() || Integer.parseInt(matcher.group(1)) > 100) {
      throw new InvalidScalarException(SIZE_OR_SHARE, "");
    }
    return ByteSize.ofHeap(Integer.parseInt(matcher.group(1)));
  }

  private static HostPort hostPort(String text) throws InvalidScalarException {
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
        // reported below
      }
    }
    throw new InvalidScalarException("host:port", hint);
  }

  private static NodeAttribute attribute(String text) throws InvalidScalarException {
    int equals = text.indexOf('=');
    if (equals > 0 && equals < text.length() - 1) {
      return new NodeAttribute(text.substring(0, equals), text.substring(equals + 1));
    }
    throw new InvalidScalarException("NAME=VALUE, such as zone=a", "");
  }

  private static Object choice(Class<?> type, String text) throws InvalidScalarException {
    List<Enum<?>> constants =
        Arrays.stream(type.getEnumConstants()).<Enum<?>>map(Enum.class::cast).toList();
    for (Enum<?> constant : constants) {
      if (toKebabCase(constant).equals(text)) {
        return constant;
      }
    }
    List<String> words = constants.stream().map(ScalarParser::toKebabCase).toList();
    throw new InvalidScalarException(
        "one of " + String.join(", ", words), SpellingSuggester.suggest(text, words));
  }
}
