package dev.weir.gateway.columnar.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is found in JSON without parsing it. */
class JsonCursorTest {
  private final JsonCursor cursor = new JsonCursor();

  private void over(String json) {
    byte[] bytes = ("##" + json + "##").getBytes(StandardCharsets.UTF_8);
    cursor.over(bytes, 2, bytes.length - 2);
  }

  private String skipped() {
    return new String(
        cursor.bytes(), cursor.from(), cursor.to() - cursor.from(), StandardCharsets.UTF_8);
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
    cursor.take(',');
    assertThat(cursor.skip()).isEqualTo(Kinds.INTEGER);
    assertThat(cursor.peek()).isEqualTo(-1);
  }

  @Test
  void goesAsDeepAsItMust() {
    String deep = "[".repeat(100_000) + "]".repeat(100_000);
    over(deep);
    assertThat(cursor.skip()).isEqualTo(Kinds.LIST | Kinds.DEEP);
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
