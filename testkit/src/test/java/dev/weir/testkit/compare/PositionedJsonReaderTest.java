package dev.weir.testkit.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PositionedJsonReaderTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "{\"b\":1,\"a\":[true,false,null,{\"c\":\"\\\"\\u00e9\"}]}",
        "-0.5e+10",
        "\"x\"",
        "[1.0,1,0,10]"
      })
  void keepsOrderAndSpelling(String text) {
    assertThat(PositionedJsonReader.read(text))
        .hasValueSatisfying(tree -> assertThat(tree).hasToString(text));
  }

  @Test
  void knowsWhereEachValueIs() {
    String text = " { \"a\" : [ 12 , \"x\" ] } ";
    BodyTree tree = PositionedJsonReader.read(text).orElseThrow();
    BodyTree second = BodyTrees.find(tree, PathPattern.of("a.1").steps()).orElseThrow();

    assertThat(text.substring(tree.start(), tree.end())).isEqualTo("{ \"a\" : [ 12 , \"x\" ] }");
    assertThat(text.substring(second.start(), second.end())).isEqualTo("\"x\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "}",
        "{\"a\"}",
        "{\"a\":1,}",
        "[1,]",
        "[1 2]",
        "01",
        "1.",
        "+1",
        "tru",
        "\"a",
        "{} {}",
        "{a:1}",
        "\"\n\"",
        "nul",
        "-",
        "1e",
        "\"\\"
      })
  void refusesWhatIsNoJson(String text) {
    assertThat(PositionedJsonReader.read(text)).isEmpty();
  }

  @Test
  void refusesNestingThatWouldOverflowTheStack() {
    assertThat(PositionedJsonReader.read("[".repeat(100_000))).isEmpty();
  }
}
