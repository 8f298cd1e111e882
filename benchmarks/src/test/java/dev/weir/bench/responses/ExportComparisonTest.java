package dev.weir.bench.responses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ExportComparisonTest {
  private static final String HIT = "{\"_index\":\"bench-export\",\"_id\":\"a\",\"_source\":{}}";

  @Test
  void readTheScrollIdAndTheNumberOfHitsOfAPage() {
    String page =
        "{\"_scroll_id\":\"FGluY2==\",\"took\":1,\"hits\":{\"hits\":[" + HIT + "," + HIT + "]}}";
    assertThat(ExportComparison.scrollId(page)).isEqualTo("FGluY2==");
    assertThat(ExportComparison.hits(page)).isEqualTo(2);
  }

  @Test
  void findNoHitsInTheLastPage() {
    assertThat(ExportComparison.hits("{\"_scroll_id\":\"a\",\"hits\":{\"hits\":[]}}")).isZero();
    assertThatThrownBy(() -> ExportComparison.scrollId("{}"))
        .hasMessageStartingWith("got a page without a scroll id");
  }
}
