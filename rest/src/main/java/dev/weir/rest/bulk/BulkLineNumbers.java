package dev.weir.rest.bulk;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The numbers of lines that errors of OpenSearch's bulk parser name. Stateless. */
public final class BulkLineNumbers {
  private static final Pattern NUMBER = Pattern.compile("line \\[(\\d+)]");

  private BulkLineNumbers() {}

  /**
   * Rewrites the line number in a part's error to the line number in the whole bulk.
   *
   * @param before the number of lines before the part
   */
  public static RuntimeException ofWhole(RuntimeException failure, long before) {
    String message = failure.getMessage();
    if (before == 0 || failure.getClass() != IllegalArgumentException.class || message == null) {
      return failure;
    }
    Matcher line = NUMBER.matcher(message);
    if (!line.find()) {
      return failure;
    }
    long number = before + Long.parseLong(line.group(1));
    return new IllegalArgumentException(
        message.substring(0, line.start(1)) + number + message.substring(line.end(1)));
  }
}
