package dev.weir.responses.columnar.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys of any length match only where they are. */
class JsonKeyTest {
  private final JsonCursor cursor = new JsonCursor();

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static JsonKey key(String quoted) {
    byte[] written = bytes("#" + quoted + " : 1");
    return JsonKey.from(written, 1, 1 + bytes(quoted).length);
  }

  /** Keys whose length with quotes and colon is about one, two and three longs. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 4, 5, 6, 12, 13, 14, 15, 20, 21, 22, 23, 40})
  void matchAllBytes(int letters) {
    String name = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH".substring(0, letters);
    String quoted = '"' + name + '"';
    JsonKey key = key(quoted);
    for (int behind = 0; behind < 10; behind++) {
      byte[] json = bytes(quoted + ":" + "7".repeat(behind));
      cursor.reset(json, 0, json.length);
      assertThat(cursor.expect(key)).isTrue();
      assertThat(cursor.peek()).isEqualTo(behind == 0 ? -1 : '7');
    }
    for (int i = 0; i <= quoted.length(); i++) {
      for (String rest : List.of("", "1", "1234567890")) {
        byte[] json = bytes(quoted + ":" + rest);
        json[i] ^= 1;
        cursor.reset(json, 0, json.length);
        assertThat(cursor.expect(key)).as("but for byte %d", i).isFalse();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "hostname", "host_of_a_long_name", "h\u00f6st", "h\\\"st"})
  void matchNoShorterOrLongerKey(String name) {
    JsonKey key = key('"' + name + '"');
    List<String> others = new ArrayList<>();
    others.add('"' + name + "s\":1234567890");
    others.add('"' + name.substring(0, name.length() - 1) + "\":1234567890");
    others.add('"' + name + "\\\":1234567890");
    others.add(" \"" + name + "\":1234567890");
    others.add('"' + name + "\" :1234567890");
    for (String other : others) {
      byte[] json = bytes(other);
      cursor.reset(json, 0, json.length);
      assertThat(cursor.expect(key)).as(other).isFalse();
      assertThat(cursor.peek()).isEqualTo('"');
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 6, 20})
  void stopAtTheEnd(int letters) {
    String quoted = '"' + "k".repeat(letters) + '"';
    byte[] json = bytes(quoted + ":1234567890");
    for (int end = 0; end <= quoted.length(); end++) {
      cursor.reset(json, 0, end);
      assertThat(cursor.expect(key(quoted))).isFalse();
    }
    cursor.reset(json, 0, quoted.length() + 1);
    assertThat(cursor.expect(key(quoted))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 6, 7, 20})
  void matchAKeyWithoutItsColon(int letters) {
    String quoted = '"' + "k".repeat(letters) + '"';
    byte[] json = bytes(quoted + " :1");
    JsonKey key = key(quoted);
    assertThat(key.matchesExactly(json, 0, quoted.length())).isTrue();
    assertThat(key.matchesExactly(json, 0, quoted.length() - 1)).isFalse();
    json[letters] ^= 1;
    assertThat(key.matchesExactly(json, 0, quoted.length())).isFalse();
  }
}
