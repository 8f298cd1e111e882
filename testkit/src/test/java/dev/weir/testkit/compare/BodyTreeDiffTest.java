package dev.weir.testkit.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BodyTreeDiffTest {
  private static List<Difference> diff(String reference, String candidate) {
    return BodyTreeDiff.of(
        PositionedJsonReader.read(reference).orElseThrow(),
        PositionedJsonReader.read(candidate).orElseThrow(),
        10);
  }

  @Test
  void findsNothingInEqualTrees() {
    assertThat(diff("{\"a\":[1,{\"b\":null}]}", "{ \"a\": [1, {\"b\": null}] }")).isEmpty();
  }

  @Test
  void namesThePathOfAValue() {
    assertThat(diff("{\"hits\":[{\"_score\":1.0}]}", "{\"hits\":[{\"_score\":1}]}"))
        .containsExactly(new Difference("body hits.0._score", "1.0", "1"));
  }

  @Test
  void tellsAbsentKeysOnBothSides() {
    assertThat(diff("{\"a\":1,\"b\":2}", "{\"b\":2,\"c\":3}"))
        .containsExactly(
            new Difference("body a", "1", "(absent)"), new Difference("body c", "(absent)", "3"));
  }

  @Test
  void tellsAnotherOrderOfKeys() {
    assertThat(diff("{\"x\":{\"a\":1,\"b\":2}}", "{\"x\":{\"b\":2,\"a\":1}}"))
        .containsExactly(new Difference("body x (order of keys)", "[a, b]", "[b, a]"));
  }

  @Test
  void tellsOtherLengthsAndTypes() {
    assertThat(diff("{\"a\":[1,2],\"b\":{}}", "{\"a\":[1],\"b\":[]}"))
        .containsExactly(
            new Difference("body a (length)", "2", "1"), new Difference("body b", "{}", "[]"));
  }

  @Test
  void stopsAtTheLimit() {
    BodyTree left = PositionedJsonReader.read("[1,2,3,4]").orElseThrow();
    BodyTree right = PositionedJsonReader.read("[5,6,7,8]").orElseThrow();

    assertThat(BodyTreeDiff.of(left, right, 2)).hasSize(2);
  }
}
