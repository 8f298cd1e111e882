package dev.weir.config.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces placeholders in values: {@code ${NAME}} and {@code ${NAME:-fallback}} by environment
 * variables, {@code ${file:PATH}} by the content of a file, and {@code $$} by a dollar sign.
 *
 * @param variables by name
 */
record PlaceholderResolver(Map<String, String> variables) {
  private static final int MAX_FILE_BYTES = 64 << 10;
  private static final Pattern REFERENCE =
      Pattern.compile(
          "\\$\\$|\\$\\{file:([^}]*)}|\\$\\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?}|\\$\\{");

  /**
   * A value with its placeholders replaced.
   *
   * @param text the value
   * @param files the referenced files, readable or not
   * @param errors why placeholders could not be replaced; empty if all could
   */
  record ExpandedValue(String text, Set<Path> files, List<String> errors) {}

  ExpandedValue expand(String text) {
    if (text.indexOf('$') < 0) {
      return new ExpandedValue(text, Set.of(), List.of());
    }
    Set<Path> files = new LinkedHashSet<>();
    List<String> faults = new ArrayList<>();
    StringBuilder result = new StringBuilder();
    Matcher matcher = REFERENCE.matcher(text);
    while (matcher.find()) {
      String file = matcher.group(1);
      String with = file == null ? resolveVariable(matcher, faults) : readFile(file, files, faults);
      matcher.appendReplacement(result, Matcher.quoteReplacement(with));
    }
    return new ExpandedValue(matcher.appendTail(result).toString(), files, faults);
  }

  private String resolveVariable(Matcher matcher, List<String> faults) {
    if (matcher.group().equals("$$")) {
      return "$";
    }
    String name = matcher.group(2);
    if (name == null) {
      faults.add(
          "got '${' that names nothing (expected: ${NAME}, ${NAME:-fallback} or ${file:PATH})");
      return "";
    }
    String value = variables.get(name);
    String fallback = matcher.group(3);
    if (value == null && fallback == null) {
      faults.add("got ${" + name + "} (expected: a set environment variable)");
    }
    return value != null ? value : fallback != null ? fallback : "";
  }

  /** Returns a file's text without its last line break. */
  private static String readFile(String name, Set<Path> files, List<String> faults) {
    String problem;
    try {
      Path file = Path.of(name);
      files.add(file);
      if (!Files.exists(file)) {
        problem = "which is not there";
      } else if (!Files.isRegularFile(file)) {
        problem = "which is no file";
      } else if (Files.size(file) > MAX_FILE_BYTES) {
        problem = "which is larger than 64 kb";
      } else {
        String text = Files.readString(file, StandardCharsets.UTF_8);
        return text.endsWith("\r\n")
            ? text.substring(0, text.length() - 2)
            : text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
      }
    } catch (IOException e) {
      problem = "which can't be read as UTF-8 text";
    } catch (InvalidPathException e) {
      problem = "which can't be a file's name";
    }
    faults.add("got ${file:" + name + "}, " + problem + " (expected: a file with the value)");
    return "";
  }
}
