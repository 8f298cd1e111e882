package dev.weir.testkit.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparisonMasksTest {
  private static final String BODY =
      "{\n  \"took\" : 12,\n  \"hits\" : [ { \"took\" : 3 }, { \"_id\" : \"a\" } ]\n}";

  private static BodyTree tree(String text) {
    return PositionedJsonReader.read(text).orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "took, took, true",
    "took, hits.took, false",
    "responses.*.took, responses.7.took, true",
    "responses.*.took, responses.took, false",
    "**.node, node, true",
    "**.node, a.b.node, true",
    "**.node, a.node.b, false",
    "profile.**.time, profile.time, true",
    "profile.**.time, profile.shards.0.time, true",
    "a.*, a, false",
    "**, a.b, true",
  })
  void patternsMatchPaths(String pattern, String path, boolean matches) {
    assertThat(PathPattern.of(pattern).matches(List.of(path.split("\\.")))).isEqualTo(matches);
  }

  @Test
  void masksValuesInTheTreeAndInTheTextOnly() {
    assertThat(ComparisonMasks.DEFAULT.apply(tree(BODY)))
        .hasToString("{\"took\":<masked>,\"hits\":[{\"took\":3},{\"_id\":\"a\"}]}");
    assertThat(ComparisonMasks.DEFAULT.applyToText(tree(BODY), BODY))
        .isEqualTo(BODY.replace("12", "<masked>"));
  }

  @Test
  void masksWholeObjects() {
    ComparisonMasks masks = new ComparisonMasks(List.of(PathPattern.of("hits.0")), List.of());

    assertThat(masks.applyToText(tree(BODY), BODY))
        .isEqualTo(BODY.replace("{ \"took\" : 3 }", "<masked>"));
  }

  @Test
  void sortUnorderedParts() {
    ComparisonMasks masks = new ComparisonMasks(List.of(), List.of(PathPattern.of("a")));

    assertThat(masks.apply(tree("{\"a\":[3,1,2],\"b\":[2,1]}")))
        .hasToString("{\"a\":[1,2,3],\"b\":[2,1]}");
  }
}
