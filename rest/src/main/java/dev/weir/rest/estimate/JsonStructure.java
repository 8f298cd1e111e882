package dev.weir.rest.estimate;

/**
 * The size of a JSON text or of lines of JSON, counted in one pass without parsing. Text within
 * strings and comments does not count.
 *
 * @param bytes the length of the text
 * @param values objects, arrays, and elements of both after the first
 * @param elements elements of arrays directly within the outermost object, such as the items of a
 *     multi-get
 * @param lines line feeds
 */
record JsonStructure(long bytes, long values, long elements, long lines) {
  /** The depth of an array's elements when the array is a field of the outermost object. */
  private static final int ELEMENT_DEPTH = 2;

  /** Counts the text in {@code bytes} from {@code start} to {@code end}. */
  static JsonStructure count(byte[] bytes, int start, int end) {
    long values = 0;
    long elements = 0;
    long lines = 0;
    int depth = 0;
    int at = start;
    while (at < end) {
      switch (bytes[at]) {
        case '"' -> at = endOfString(bytes, at + 1, end);
        case '/' -> at = endOfComment(bytes, at, end);
        case '\n' -> lines++;
        case '{', '[' -> {
          values++;
          depth++;
          if (depth == ELEMENT_DEPTH && bytes[at] == '[') {
            elements++;
          }
        }
        case '}', ']' -> depth--;
        case ',' -> {
          values++;
          if (depth == ELEMENT_DEPTH) {
            elements++;
          }
        }
        default -> {}
      }
      at++;
    }
    return new JsonStructure(end - start, values, elements, lines);
  }

  /**
   * Returns the position of a string's last byte. A string ends before a line feed at the latest,
   * because JSON has none within strings.
   */
  private static int endOfString(byte[] bytes, int start, int end) {
    for (int at = start; at < end; at++) {
      switch (bytes[at]) {
        case '\\' -> at++;
        case '"' -> {
          return at;
        }
        case '\n' -> {
          return at - 1;
        }
        default -> {}
      }
    }
    return end;
  }

  /** Returns the position of a comment's last byte; OpenSearch's parser allows comments. */
  private static int endOfComment(byte[] bytes, int slash, int end) {
    if (slash + 1 >= end) {
      return slash;
    }
    if (bytes[slash + 1] == '/') {
      for (int at = slash + 2; at < end; at++) {
        if (bytes[at] == '\n') {
          return at - 1;
        }
      }
      return end;
    }
    if (bytes[slash + 1] != '*') {
      return slash;
    }
    for (int at = slash + 2; at + 1 < end; at++) {
      if (bytes[at] == '*' && bytes[at + 1] == '/') {
        return at + 1;
      }
    }
    return end;
  }
}
