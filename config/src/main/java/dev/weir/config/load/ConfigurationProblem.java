package dev.weir.config.load;

import java.util.regex.Pattern;

/**
 * An error in a configuration and its position.
 *
 * @param file the file's name as given by the operator
 * @param line from 1; 0 when it concerns the file as a whole
 * @param column from 1; 0 when it concerns the file as a whole
 * @param length of the text to mark, at least 1
 * @param message what was found and what was expected
 * @param hint what to do; empty for none
 * @param excerpt the line of the file; empty for none
 */
public record ConfigurationProblem(
    String file, int line, int column, int length, String message, String hint, String excerpt) {

  private static final int MAX_EXCERPT_WIDTH = 160;

  /** A key whose whole value comes from a variable or another file. */
  private static final Pattern EXTERNAL_VALUE =
      Pattern.compile("[\\s-]*[\\w-]+\\s*:\\s*[\"']?\\$\\{[^{}:]+(:/[^{}:]*)?}[\"']?\\s*");

  /**
   * Renders the position, the message, and the line with a caret under it. Hides a line that may
   * contain a secret, even in the wrong place.
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
    if (line > 0 && !excerpt.isBlank() && canBeShown()) {
      excerpt(text);
    }
    return text.toString();
  }

  private boolean canBeShown() {
    return !SecretText.mayContainSecret(excerpt) || EXTERNAL_VALUE.matcher(excerpt).matches();
  }

  /**
   * Appends the line; of a long one only the part around the problem. Columns count code points.
   */
  private void excerpt(StringBuilder text) {
    int[] all = excerpt.codePoints().toArray();
    int at = Math.min(column - 1, all.length);
    int from =
        all.length <= MAX_EXCERPT_WIDTH
            ? 0
            : Math.max(0, Math.min(at - MAX_EXCERPT_WIDTH / 2, all.length - MAX_EXCERPT_WIDTH));
    int to = Math.min(all.length, from + MAX_EXCERPT_WIDTH);
    int carets = Math.max(1, Math.min(length, to - at));
    String number = Integer.toString(line);
    String cutBefore = from > 0 ? "..." : "";
    text.append("  ").append(number).append(" | ").append(cutBefore);
    text.append(new String(all, from, to - from)).append(to < all.length ? "..." : "").append('\n');
    text.append("  ").append(" ".repeat(number.length())).append(" | ");
    text.append(" ".repeat(cutBefore.length()));
    for (int i = from; i < at; i++) {
      text.append(all[i] == '\t' ? '\t' : ' ');
    }
    text.append("^".repeat(carets)).append('\n');
  }
}
