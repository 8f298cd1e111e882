package dev.weir.testkit.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BodyTreeDiffTest {
  private static List<Difference> diff(String reference, String candidate) {
    return diff(List.of(reference), candidate);
  }

  private static List<Difference> diff(List<String> references, String candidate) {
    return BodyTreeDiff.of(
        references.stream().map(BodyTreeDiffTest::tree).toList(), tree(candidate), 10);
  }

  private static BodyTree tree(String json) {
    return PositionedJsonReader.read(json).orElseThrow();
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
    assertThat(BodyTreeDiff.of(List.of(tree("[1,2,3,4]")), tree("[5,6,7,8]"), 2)).hasSize(2);
  }

  @Test
  void takeEachValueFromAnyReference() {
    List<String> references = List.of("{\"a\":[1,2],\"b\":3}", "{\"a\":[2,1],\"b\":4,\"c\":5}");

    assertThat(diff(references, "{\"a\":[2,2],\"b\":3,\"c\":5}")).isEmpty();
    assertThat(diff(references, "{\"a\":[2,2],\"b\":4}")).isEmpty();
    assertThat(diff(references, "{\"a\":[2,3],\"b\":4}"))
        .containsExactly(new Difference("body a.1", "2", "3"));
  }

  @Test
  void findKeysLengthsAndOrdersThatNoReferenceHas() {
    List<String> references = List.of("{\"a\":[1],\"b\":3}", "{\"a\":[1,2],\"b\":4}");

    assertThat(diff(references, "{\"a\":[1,2,9],\"b\":3}"))
        .containsExactly(new Difference("body a (length)", "1", "3"));
    assertThat(diff(references, "{\"a\":[1]}"))
        .containsExactly(new Difference("body b", "3", "(absent)"));
    assertThat(diff(references, "{\"a\":[1],\"b\":3,\"c\":5}"))
        .containsExactly(new Difference("body c", "(absent)", "5"));
    assertThat(
            diff(
                List.of("{\"x\":{\"a\":1}}", "{\"x\":{\"a\":1,\"b\":2}}"),
                "{\"x\":{\"b\":2,\"a\":1}}"))
        .containsExactly(new Difference("body x (order of keys)", "[a, b]", "[b, a]"));
  }

  private static List<String> nineTimes(String format) {
    return IntStream.range(0, 9).mapToObj(i -> format.formatted(17 * i)).toList();
  }

  @Test
  void allowAnotherNumberWhereEachReferenceHasAnother() {
    assertThat(diff(nineTimes("{\"a\":%d}"), "{\"a\":1000}")).isEmpty();
    assertThat(diff(nineTimes("{\"a\":%d}"), "{\"a\":null}")).hasSize(1);
    assertThat(diff(nineTimes("{\"a\":%d}"), "{\"a\":\"1000\"}")).hasSize(1);
    assertThat(diff(nineTimes("{\"a\":%d}").subList(0, 8), "{\"a\":1000}")).hasSize(1);
  }

  @Test
  void allowAnotherStringWhereEachReferenceHasAnotherOfTheSameForm() {
    List<String> references = nineTimes("[\"no context for [%d] left\"]");

    assertThat(diff(references, "[\"no context for [1000] left\"]")).isEmpty();
    assertThat(diff(references, "[\"no index for [1000] left\"]")).hasSize(1);
    assertThat(diff(references, "[\"no context for [1000]\"]")).hasSize(1);
    assertThat(diff(nineTimes("[\"%d\"]"), "[\"_na_\"]")).hasSize(1);
  }

  @Test
  void findAnotherValueWhereReferencesRepeatTheirs() {
    List<String> references = new ArrayList<>(nineTimes("{\"a\":%d}"));
    references.add("{\"a\":17}");

    assertThat(diff(references, "{\"a\":1000}"))
        .containsExactly(new Difference("body a", "0", "1000"));
  }
}
