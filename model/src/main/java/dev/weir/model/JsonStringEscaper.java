package dev.weir.model;

/**
 * Writes text as JSON strings, escaped as OpenSearch escapes it. For small documents: responses to
 * searches are written as bytes, without an intermediate text.
 */
public final class JsonStringEscaper {
  private static final String HEX = "0123456789ABCDEF";

  private JsonStringEscaper() {}

  /** Appends text in quotes, escaped. */
  public static void appendQuoted(StringBuilder out, CharSequence text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      appendEscaped(out, text.charAt(i));
    }
    out.append('"');
  }

  /** Appends one UTF-16 code unit, escaped. */
  public static void appendEscaped(StringBuilder out, char c) {
    switch (c) {
      case '"', '\\' -> out.append('\\').append(c);
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      case '\b' -> out.append("\\b");
      case '\f' -> out.append("\\f");
      default -> {
        if (c < ' ') {
          out.append("\\u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xf));
        } else {
          out.append(c);
        }
      }
    }
  }
}
