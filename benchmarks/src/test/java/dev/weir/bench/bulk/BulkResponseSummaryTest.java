package dev.weir.bench.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BulkResponseSummaryTest {
  private static final String WRITTEN =
      "{\"index\":{\"_index\":\"i\",\"_id\":\"one\",\"_version\":1,\"_seq_no\":4,\"status\":201}}";
  private static final String REJECTED =
      "{\"index\":{\"_index\":\"i\",\"_id\":\"two\",\"status\":429,\"error\":{\"type\":\"t\"}}}";
  private static final String FAILED =
      "{\"index\":{\"_index\":\"i\",\"_id\":null,\"status\":400,\"error\":{\"reason\":"
          + "\"got \\\"_id\\\": and \\\"status\\\": 201\"}}}";

  private static final String WRITTEN_BUT_FOR_A_COPY =
      "{\"index\":{\"_index\":\"i\",\"_id\":\"two\",\"_shards\":{\"failures\":[{\"status\":"
          + "\"SERVICE_UNAVAILABLE\"}]},\"status\":201}}";

  private static String items(String... items) {
    return "{\"took\":3,\"errors\":true,\"items\":[" + String.join(",", items) + "]}";
  }

  @Test
  void summarizeEachDocument() {
    BulkResponseSummary reply = BulkResponseSummary.parse(200, items(FAILED, WRITTEN, REJECTED), 3);
    assertThat(reply.ids()).containsExactly("", "one", "");
    assertThat(reply.writtenCount()).isEqualTo(1);
    assertThat(reply.rejectedCount()).isEqualTo(1);
    assertThat(reply.failedCount()).isEqualTo(1);
    assertThat(reply.error()).startsWith("\"_id\":null,\"status\":400");
  }

  @Test
  void countADocumentAsWrittenDespiteAFailedCopy() {
    BulkResponseSummary reply =
        BulkResponseSummary.parse(200, items(WRITTEN_BUT_FOR_A_COPY, WRITTEN), 2);
    assertThat(reply.ids()).containsExactly("two", "one");
    assertThat(reply.writtenCount()).isEqualTo(2);
  }

  @Test
  void countARejectedBulkAsRejectionOfAllDocuments() {
    BulkResponseSummary reply = BulkResponseSummary.parse(429, "{}", 3);
    assertThat(reply.rejectedCount()).isEqualTo(3);
    assertThat(reply.failedCount()).isZero();
  }

  @Test
  void anotherErrorIsAFailureOfAllItsDocuments() {
    BulkResponseSummary reply = BulkResponseSummary.parse(503, "no", 3);
    assertThat(reply.failedCount()).isEqualTo(3);
    assertThat(reply.error()).isEqualTo("503 no");
  }

  @Test
  void rejectAResponseWithTooFewItems() {
    assertThatThrownBy(() -> BulkResponseSummary.parse(200, items(WRITTEN), 2))
        .hasMessageContaining("got an answer of 1 items (expected: 2)");
  }
}
