package dev.weir.it.yaml;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The assertions of the suite's language, over a parsed response. */
final class YamlAssertions {
  private YamlAssertions() {}

  /** Follows a dotted path ({@code hits.hits.0._id}); null if it does not exist. */
  static @Nullable Object resolve(@Nullable Object body, String path, Stash stash) {
    if (path.isEmpty() || path.equals("$body")) {
      return body;
    }
    Object here = body;
    for (String raw : split(path)) {
      String step = raw.startsWith("$") ? String.valueOf(stash.replace(raw)) : raw;
      if (here instanceof Map<?, ?> map) {
        here =
            step.equals("_arbitrary_key_")
                ? map.keySet().stream().findFirst().orElse(null)
                : map.get(step);
      } else if (here instanceof List<?> list && step.matches("\\d+")) {
        int index = Integer.parseInt(step);
        here = index < list.size() ? list.get(index) : null;
      } else {
        return null;
      }
    }
    return here;
  }

  /**
   * Returns whether two values are equal, numbers by value and {@code /.../} as a regular
   * expression.
   */
  static boolean matches(@Nullable Object expected, @Nullable Object actual) {
    if (expected instanceof String text && isRegex(text) && actual != null) {
      String pattern = text.strip().substring(1, text.strip().length() - 1);
      return Pattern.compile(pattern, Pattern.COMMENTS).matcher(String.valueOf(actual)).find();
    }
    if (expected instanceof Number a && actual instanceof Number b) {
      return number(a) == number(b) || a.toString().equals(b.toString());
    }
    if (expected instanceof Map<?, ?> a && actual instanceof Map<?, ?> b) {
      return a.keySet().equals(b.keySet())
          && a.keySet().stream().allMatch(key -> matches(a.get(key), b.get(key)));
    }
    if (expected instanceof List<?> a && actual instanceof List<?> b) {
      if (a.size() != b.size()) {
        return false;
      }
      for (int i = 0; i < a.size(); i++) {
        if (!matches(a.get(i), b.get(i))) {
          return false;
        }
      }
      return true;
    }
    return Objects.equals(expected, actual);
  }

  static boolean isTrue(@Nullable Object value) {
    String text = String.valueOf(value);
    return value != null && !text.isEmpty() && !text.equalsIgnoreCase("false") && !text.equals("0");
  }

  static int length(@Nullable Object value) {
    return switch (value) {
      case String text -> text.length();
      case List<?> list -> list.size();
      case Map<?, ?> map -> map.size();
      case null, default ->
          throw new AssertionError("got " + value + " (expected: something with a length)");
    };
  }

  static boolean contains(@Nullable Object actual, @Nullable Object expected) {
    return switch (actual) {
      case String text -> text.contains(String.valueOf(expected));
      case List<?> list ->
          list.stream().anyMatch(item -> matches(expected, item) || partOf(expected, item));
      case null, default -> false;
    };
  }

  private static boolean partOf(@Nullable Object expected, Object item) {
    return expected instanceof Map<?, ?> part
        && item instanceof Map<?, ?> whole
        && part.entrySet().stream().allMatch(e -> matches(e.getValue(), whole.get(e.getKey())));
  }

  static double number(@Nullable Object value) {
    return value instanceof Number number
        ? number.doubleValue()
        : Double.parseDouble(String.valueOf(value));
  }

  static boolean isRegex(String text) {
    String stripped = text.strip();
    return stripped.length() > 2 && stripped.startsWith("/") && stripped.endsWith("/");
  }

  private static List<String> split(String path) {
    List<String> steps = new ArrayList<>();
    StringBuilder step = new StringBuilder();
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == '\\' && i + 1 < path.length() && path.charAt(i + 1) == '.') {
        step.append('.');
        i++;
      } else if (c == '.') {
        steps.add(step.toString());
        step.setLength(0);
      } else {
        step.append(c);
      }
    }
    steps.add(step.toString());
    steps.removeIf(String::isEmpty);
    return steps;
  }
}
