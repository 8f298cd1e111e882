package dev.weir.responses.columnar.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Finds parts of JSON without parsing it. */
class JsonCursorTest {
  private final JsonCursor cursor = new JsonCursor();

  private void over(String json) {
    byte[] bytes = ("##" + json + "##").getBytes(StandardCharsets.UTF_8);
    cursor.reset(bytes, 2, bytes.length - 2);
  }

  private String skipped() {
    return new String(
        cursor.bytes(),
        cursor.tokenStart(),
        cursor.tokenEnd() - cursor.tokenStart(),
        StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 null",
        "2 true",
        "2 false",
        "4 -17",
        "8 1.5",
        "8 1E9",
        "8 NaN",
        "8 -Infinity",
        "16 \"a \\\" ] } \\\\\"",
        "32 {\"a\":[{\"b\":\"}\"}]}",
        "32 {}",
        "64 []",
        "85 [1,null,\"x\"]",
        "196 [ [1] , 2 ]",
        "96 [{\"a\":[]}]",
        "68 [1 /* ] */ , 2 // ]\n ]",
      })
  void skipsAValueAndSaysWhatItIs(String line) {
    int blank = line.indexOf(' ');
    String json = line.substring(blank + 1);
    over(" /* so */ " + json + " , 7");

    assertThat(cursor.skip()).isEqualTo(Integer.parseInt(line.substring(0, blank)));
    assertThat(skipped()).isEqualTo(json);
    cursor.expect(',');
    assertThat(cursor.skip()).isEqualTo(ValueKinds.INTEGER);
    assertThat(cursor.peek()).isEqualTo(-1);
  }

  /**
   * Strings with their end, or an escape, at each of the eight positions that are scanned together.
   */
  @Test
  void findsTheEndOfStringsOfAnyLength() {
    for (int length = 0; length < 30; length++) {
      String text = "\u00e9" + "x".repeat(length);
      skips('"' + text + '"', ValueKinds.STRING);
      for (int i = 0; i <= length; i++) {
        String before = text.substring(0, i);
        skips('"' + before + "\\\"" + text.substring(i) + '"', ValueKinds.STRING);
        skips('"' + before + "\\\\\\\"" + text.substring(i) + '"', ValueKinds.STRING);
      }
      skips('"' + text + "\\\\\"", ValueKinds.STRING);
    }
  }

  @Test
  void findsTheEndOfNumbersOfAnyLength() {
    for (int length = 1; length < 20; length++) {
      String digits = "1234567890123456789".substring(0, length);
      skips(digits, ValueKinds.INTEGER);
      skips("-" + digits, ValueKinds.INTEGER);
      skips("." + digits, ValueKinds.DECIMAL);
      skips(digits + ".", ValueKinds.DECIMAL);
      skips(digits + "e5", ValueKinds.DECIMAL);
      for (int i = 1; i < length; i++) {
        skips(digits.substring(0, i) + "." + digits.substring(i), ValueKinds.DECIMAL);
      }
    }
  }

  /** A value between others, at the end of the scanned range, and at the end of the array. */
  private void skips(String value, int kind) {
    for (String behind : new String[] {",", "}", " ", "/**/", "]", "", ",123456789\""}) {
      over(value + behind);
      assertThat(cursor.skip()).as(value).isEqualTo(kind);
      assertThat(skipped()).isEqualTo(value);
      byte[] bytes = (value + behind).getBytes(StandardCharsets.UTF_8);
      cursor.reset(bytes, 0, bytes.length);
      assertThat(cursor.skip()).as(value).isEqualTo(kind);
      assertThat(skipped()).isEqualTo(value);
    }
    byte[] bytes = (value + "123456789\"").getBytes(StandardCharsets.UTF_8);
    cursor.reset(bytes, 0, bytes.length - 10);
    assertThat(cursor.skip()).as(value).isEqualTo(kind);
    assertThat(skipped()).isEqualTo(value);
  }

  @Test
  void goesAsDeepAsItMust() {
    String deep = "[".repeat(100_000) + "]".repeat(100_000);
    over(deep);
    assertThat(cursor.skip()).isEqualTo(ValueKinds.LIST | ValueKinds.NESTED_LIST);
    assertThat(cursor.peek()).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[1,", "{\"a\":1", "\"open", ",", "[1,/", "\"\\"})
  void refusesWhatEndsTooSoon(String json) {
    over(json);
    assertThatThrownBy(cursor::skip)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("in JSON (expected:");
  }
}
