package dev.weir.responses.trim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.core.common.bytes.BytesArray;

class NullMemberRemoverTest {
  private static String without(String document) {
    return NullMemberRemover.removeNulls(new BytesArray(document)).utf8ToString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '@',
      value = {
        "{\"a\":null}|{}",
        "{\"a\":null,\"b\":1}|{\"b\":1}",
        "{\"b\":1,\"a\":null}|{\"b\":1}",
        "{ \"a\" : null , \"b\" : [ null , {\"c\": null} ] }|{\"b\":[null,{}]}",
        "{\"a\":{\"b\":{\"c\":null,\"d\":1.50}}}|{\"a\":{\"b\":{\"d\":1.50}}}",
        "{\"null\":\"null\",\"x\":null}|{\"null\":\"null\"}",
        "{\"q\":\"\\\"null\\\\\",\"x\":null}|{\"q\":\"\\\"null\\\\\"}",
        "{\"a\":[],\"b\":{},\"c\":null,\"d\":true}|{\"a\":[],\"b\":{},\"d\":true}",
      })
  void leavesMembersOut(String document, String rest) {
    assertThat(without(document)).isEqualTo(rest);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[{\"a\":null}]",
        "{\"a\": 1}",
        "{\"a\":null",
        "{\"a\":null}}",
        "{\"a\":null,}",
        "{\"a\" null}",
        "{\"a\":nullx}",
        "{a:null}",
        "{\"a\":\"\\",
        "{\"a\":null,\"b\":}",
        "---\na: null\n"
      })
  void leavesAsItIsWhatItDoesNotUnderstandOrWhatHasNoNull(String document) {
    assertThat(without(document)).isEqualTo(document);
  }

  @Test
  void goesAsDeepAsOpenSearchAndNoDeeper() {
    String inner = "{\"a\":null}";
    assertThat(without("{\"a\":".repeat(900) + inner + "}".repeat(900)))
        .isEqualTo("{\"a\":".repeat(900) + "{}" + "}".repeat(900));
    String deeper = "{\"a\":".repeat(5000) + inner + "}".repeat(5000);
    assertThat(without(deeper)).isEqualTo(deeper);
  }

  @Test
  void leavesOutExactlyTheNullMembersOfAnyDocument() {
    Random random = new Random(3);
    for (int i = 0; i < 2000; i++) {
      StringBuilder all = new StringBuilder();
      StringBuilder rest = new StringBuilder();
      object(random, 0, all, rest);
      assertThat(without(all.toString())).isEqualTo(rest.toString());
      int cut = random.nextInt(all.length());
      assertThat(without(all.substring(0, cut))).isEqualTo(all.substring(0, cut));
    }
  }

  private static void object(Random random, int depth, StringBuilder all, StringBuilder rest) {
    all.append('{');
    rest.append('{');
    boolean first = true;
    int members = random.nextInt(5);
    for (int i = 0; i < members; i++) {
      String key = "\"k\\\"" + i + "é\":";
      all.append(i > 0 ? "," : "").append(key);
      if (random.nextInt(3) == 0) {
        all.append("null");
      } else {
        rest.append(first ? "" : ",").append(key);
        first = false;
        value(random, depth, all, rest);
      }
    }
    all.append('}');
    rest.append('}');
  }

  private static void value(Random random, int depth, StringBuilder all, StringBuilder rest) {
    switch (random.nextInt(depth > 4 ? 2 : 4)) {
      case 0 -> both(all, rest, "-1.0E+5");
      case 1 -> both(all, rest, "\"a, null}]\\\\\"");
      case 2 -> object(random, depth + 1, all, rest);
      default -> {
        both(all, rest, "[null");
        int more = random.nextInt(3);
        for (int i = 0; i < more; i++) {
          both(all, rest, ",");
          value(random, depth + 1, all, rest);
        }
        both(all, rest, "]");
      }
    }
  }

  private static void both(StringBuilder all, StringBuilder rest, String text) {
    all.append(text);
    rest.append(text);
  }
}
