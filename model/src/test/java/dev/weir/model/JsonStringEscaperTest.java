package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class JsonStringEscaperTest {
  private static String quote(String text) {
    StringBuilder out = new StringBuilder();
    JsonStringEscaper.appendQuoted(out, text);
    return out.toString();
  }

  @Test
  void escapeForJson() {
    assertThat(quote("a\"b\\c")).isEqualTo("\"a\\\"b\\\\c\"");
    assertThat(quote("\n\r\t\b\f")).isEqualTo("\"\\n\\r\\t\\b\\f\"");
    assertThat(quote("\u0001\u001f")).isEqualTo("\"\\u0001\\u001F\"");
  }

  @Test
  void keepsAllOtherCharacters() {
    assertThat(quote("größe \uD83D\uDE00 /")).isEqualTo("\"größe \uD83D\uDE00 /\"");
    assertThat(quote("")).isEqualTo("\"\"");
  }

  @Test
  void writesHeadersInAscii() {
    StringBuilder out = new StringBuilder();
    JsonStringEscaper.appendQuotedAscii(out, "a\"\n\u007fß\uD83D\uDE00");
    assertThat(out.toString()).isEqualTo("\"a\\\"\\n\\u007F\\u00DF\\uD83D\\uDE00\"");
  }
}
