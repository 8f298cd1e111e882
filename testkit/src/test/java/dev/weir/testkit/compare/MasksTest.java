package dev.weir.testkit.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MasksTest {
  private static final String BODY =
      "{\n  \"took\" : 12,\n  \"hits\" : [ { \"took\" : 3 }, { \"_id\" : \"a\" } ]\n}";

  private static Tree tree(String text) {
    return JsonReader.read(text).orElseThrow();
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
    assertThat(Masks.USUAL.mask(tree(BODY)))
        .hasToString("{\"took\":<masked>,\"hits\":[{\"took\":3},{\"_id\":\"a\"}]}");
    assertThat(Masks.USUAL.maskText(tree(BODY), BODY)).isEqualTo(BODY.replace("12", "<masked>"));
  }

  @Test
  void masksWholeObjects() {
    Masks masks = new Masks(List.of(PathPattern.of("hits.0")), List.of());

    assertThat(masks.maskText(tree(BODY), BODY))
        .isEqualTo(BODY.replace("{ \"took\" : 3 }", "<masked>"));
  }

  @Test
  void sortsWhatMayBeInAnyOrder() {
    Masks masks = new Masks(List.of(), List.of(PathPattern.of("a")));

    assertThat(masks.mask(tree("{\"a\":[3,1,2],\"b\":[2,1]}")))
        .hasToString("{\"a\":[1,2,3],\"b\":[2,1]}");
  }
}
