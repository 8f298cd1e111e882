package dev.weir.gateway.logging;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;

/**
 * Lays out lines for terminals and files: control characters, which may come from a request, are
 * encoded, so that a client can neither move the cursor of a terminal nor hide a line. Tabs and
 * line breaks stay, because stack traces and lists of problems have them.
 */
final class EncodingLayout extends PatternLayout {
  private static final int FIRST_PRINTABLE = 0x20;
  private static final int DELETE = 0x7f;
  private static final int LAST_CONTROL = 0x9f;

  @Override
  public String doLayout(ILoggingEvent event) {
    return encodeControls(super.doLayout(event));
  }

  static String encodeControls(String text) {
    int first = 0;
    while (first < text.length() && !isEncoded(text.charAt(first))) {
      first++;
    }
    if (first == text.length()) {
      return text;
    }
    StringBuilder encoded = new StringBuilder(text.length() + 16).append(text, 0, first);
    for (int i = first; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isEncoded(c)) {
        encoded.append("\\u00").append(Character.forDigit(c >> 4, 16));
        encoded.append(Character.forDigit(c & 15, 16));
      } else {
        encoded.append(c);
      }
    }
    return encoded.toString();
  }

  private static boolean isEncoded(char c) {
    return (c < FIRST_PRINTABLE && c != '\n' && c != '\t') || (c >= DELETE && c <= LAST_CONTROL);
  }
}
