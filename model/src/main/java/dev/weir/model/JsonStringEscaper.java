package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * The escapes of JSON strings, as OpenSearch writes them, for every writer of the gateway: {@link
 * JsonBuffer} for bytes, {@link JsonTextWriter} for text.
 */
public final class JsonStringEscaper {
  private static final String HEX = "0123456789ABCDEF";
  private static final @Nullable String[] ESCAPES = new @Nullable String['\\' + 1];

  static {
    for (char c = 0; c < ' '; c++) {
      ESCAPES[c] = "\\u00" + HEX.charAt(c >> 4) + HEX.charAt(c & 0xf);
    }
    ESCAPES['\n'] = "\\n";
    ESCAPES['\r'] = "\\r";
    ESCAPES['\t'] = "\\t";
    ESCAPES['\b'] = "\\b";
    ESCAPES['\f'] = "\\f";
    ESCAPES['"'] = "\\\"";
    ESCAPES['\\'] = "\\\\";
  }

  private JsonStringEscaper() {}

  /** Returns the escape of a UTF-16 unit; null if it needs none. */
  public static @Nullable String escapeOf(char c) {
    return c < ESCAPES.length ? ESCAPES[c] : null;
  }

  /** Appends text in quotes. */
  public static void appendQuoted(StringBuilder out, CharSequence text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      appendEscaped(out, text.charAt(i));
    }
    out.append('"');
  }

  /** Appends text in quotes, as ASCII alone: for HTTP headers. */
  public static void appendQuotedAscii(StringBuilder out, CharSequence text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c > '~') {
        appendCodeUnit(out, c);
      } else {
        appendEscaped(out, c);
      }
    }
    out.append('"');
  }

  /** Appends one UTF-16 unit of a string. */
  public static void appendEscaped(StringBuilder out, char c) {
    String escape = escapeOf(c);
    if (escape == null) {
      out.append(c);
    } else {
      out.append(escape);
    }
  }

  private static void appendCodeUnit(StringBuilder out, char c) {
    out.append("\\u");
    for (int shift = 12; shift >= 0; shift -= 4) {
      out.append(HEX.charAt((c >> shift) & 0xf));
    }
  }
}
