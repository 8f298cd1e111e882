package dev.weir.config.load;

import java.util.regex.Pattern;

/**
 * One thing that is wrong in a configuration, and where.
 *
 * @param file the file's name as the person gave it
 * @param line from 1; 0 when it concerns the file as a whole
 * @param column from 1; 0 when it concerns the file as a whole
 * @param length of the text to point at, at least 1
 * @param message what was found and what was expected
 * @param hint what to do; empty for none
 * @param excerpt the line of the file; empty for none
 */
public record Problem(
    String file, int line, int column, int length, String message, String hint, String excerpt) {

  private static final Pattern SECRET =
      Pattern.compile("password|secret|token", Pattern.CASE_INSENSITIVE);

  /**
   * As text for a person: place, message, the line itself with a caret under it. A line that may
   * hold a secret, be it in the wrong place, is not shown.
   */
  public String render() {
    StringBuilder text = new StringBuilder(file);
    if (line > 0) {
      text.append(':').append(line).append(':').append(column);
    }
    text.append(": ").append(message);
    if (!hint.isEmpty()) {
      text.append("; ").append(hint);
    }
    text.append('\n');
    if (line > 0 && !excerpt.isBlank() && !SECRET.matcher(excerpt).find()) {
      String number = Integer.toString(line);
      int carets = Math.max(1, Math.min(length, excerpt.length() - column + 1));
      text.append("  ").append(number).append(" | ").append(excerpt).append('\n');
      text.append("  ").append(" ".repeat(number.length())).append(" | ");
      text.append(" ".repeat(column - 1)).append("^".repeat(carets)).append('\n');
    }
    return text.toString();
  }
}
