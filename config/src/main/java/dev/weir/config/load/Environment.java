package dev.weir.config.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Puts environment variables into values: {@code ${NAME}}, {@code ${NAME:-fallback}}, and {@code
 * $$} for a dollar sign.
 *
 * @param variables by name
 */
record Environment(Map<String, String> variables) {
  private static final Pattern REFERENCE =
      Pattern.compile("\\$\\$|\\$\\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?}|\\$\\{");

  /**
   * A value with its variables replaced.
   *
   * @param text the value
   * @param faults what could not be replaced, and why; empty when all could
   */
  record Expanded(String text, List<String> faults) {}

  Expanded expand(String text) {
    if (text.indexOf('$') < 0) {
      return new Expanded(text, List.of());
    }
    List<String> faults = new ArrayList<>();
    StringBuilder result = new StringBuilder();
    Matcher matcher = REFERENCE.matcher(text);
    while (matcher.find()) {
      matcher.appendReplacement(result, Matcher.quoteReplacement(replacement(matcher, faults)));
    }
    return new Expanded(matcher.appendTail(result).toString(), faults);
  }

  private String replacement(Matcher matcher, List<String> faults) {
    if (matcher.group().equals("$$")) {
      return "$";
    }
    String name = matcher.group(1);
    if (name == null) {
      faults.add("got '${' that names no variable (expected: ${NAME} or ${NAME:-fallback})");
      return "";
    }
    String value = variables.get(name);
    String fallback = matcher.group(2);
    if (value == null && fallback == null) {
      faults.add("got ${" + name + "} (expected: a set environment variable)");
    }
    return value != null ? value : fallback != null ? fallback : "";
  }
}
