package dev.weir.bluegreen.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Kind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DifferenceCollectorTest {
  @Test
  void showWhichValueIsAString() {
    DifferenceCollector differences = new DifferenceCollector();
    differences.add(Kind.SOURCE, "n", 1L, "1");
    differences.add(Kind.HITS, "list", List.of("a", 2L), Map.of("b", "nothing"));
    differences.add(Kind.TOTAL, "absent", null, "nothing");
    assertThat(((ComparisonVerdict.Different) differences.toVerdict()).differences())
        .extracting(
            ComparisonVerdict.Difference::path,
            ComparisonVerdict.Difference::primary,
            ComparisonVerdict.Difference::shadow)
        .containsExactlyInAnyOrder(
            tuple("n", "1", "\"1\""),
            tuple("list", "[\"a\", 2]", "{b: \"nothing\"}"),
            tuple("absent", "nothing", "\"nothing\""));
  }
}
