package dev.weir.rest.estimate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Counts values without parsing. */
class JsonStructureTest {
  private static JsonStructure count(String text) {
    byte[] bytes = ("xx" + text + "{[,").getBytes(UTF_8);
    return JsonStructure.count(bytes, 2, bytes.length - 3);
  }

  @Test
  void countObjectsArraysAndFurtherElements() {
    assertThat(count("{\"a\":[1,2,{\"b\":3}],\"c\":\"d\"}").values()).isEqualTo(6);
    assertThat(count("").values()).isZero();
  }

  @Test
  void countItemsOfTheOutermostArrays() {
    assertThat(count("{\"ids\":[\"1\",\"2\",\"3\"]}").elements()).isEqualTo(3);
    assertThat(
            count("{\"docs\":[{\"_id\":\"1\",\"_source\":[\"a\",\"b\"]},{\"_id\":\"2\"}]}")
                .elements())
        .isEqualTo(2);
    assertThat(count("{\"ids\":[\"1\"],\"docs\":[{\"_id\":\"2\",\"x\":[1,2]}]}").elements())
        .isEqualTo(2);
  }

  @Test
  void skipTextInStringsAndComments() {
    assertThat(count("{\"a\":\"[,{\\\"[,\"}").values()).isEqualTo(1);
    assertThat(count("{/* \" */\"a\":[1,2]} // \"\n{\"b\":[1]}").values()).isEqualTo(5);
    assertThat(count("{\"a\":\"\\\\\",\"b\":[]}").values()).isEqualTo(3);
  }

  @Test
  void endStringsAtLineFeeds() {
    assertThat(count("{\"a\n{\"b\":[1,2,3]}\n").values()).isEqualTo(5);
    assertThat(count("{}\n{}\n").lines()).isEqualTo(2);
  }

  @Test
  void readTruncatedText() {
    for (String text : new String[] {"\"", "\"\\", "/", "/*", "//", "/* *", "{\"a"}) {
      assertThat(count(text).bytes()).as(text).isEqualTo(text.length());
    }
  }
}
