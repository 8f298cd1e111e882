package dev.weir.bench.pruning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PruningTableTest {
  private static String response(int took, int skipped, int value, double average) {
    return """
    {"took":%d,"_shards":{"total":30,"skipped":%d},"hits":{"total":{"value":%d,"relation":"eq"},\
    "hits":[{"_id":"any"}]},"aggregations":{"hours":{"buckets":[{"ms":{"value":%s}}]}}}\
    """
        .formatted(took, skipped, value, average);
  }

  @Test
  void ignoreWhatPathsMayAnswerDifferently() {
    assertThat(PruningTable.totalsOf(response(3, 29, 500, 2.5)))
        .isEqualTo(PruningTable.totalsOf(response(9, 0, 500, 2.5)));
  }

  @Test
  void compareTheTotalAndTheAggregations() {
    String totals = PruningTable.totalsOf(response(3, 29, 500, 2.5));
    assertThat(PruningTable.totalsOf(response(3, 29, 501, 2.5))).isNotEqualTo(totals);
    assertThat(PruningTable.totalsOf(response(3, 29, 500, 2.25))).isNotEqualTo(totals);
  }

  @Test
  void rejectAnError() {
    assertThatThrownBy(() -> PruningTable.totalsOf("{\"error\":\"none\"}"))
        .hasMessageContaining("expected: a total and aggregations");
  }
}
