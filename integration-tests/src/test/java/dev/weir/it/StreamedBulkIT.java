package dev.weir.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodes;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Bulks that the gateway carries out while they come. */
class StreamedBulkIT {
  private static final DataNodes NODES = SharedCluster.get();
  private static final Pattern VARYING =
      Pattern.compile(
          "\"took\" ?: ?\\d+|\"_seq_no\" ?:"
              + " ?\\d+|streamed-[a-z]+|\"index_uuid\" ?: ?\"[\\w-]+\"|\\[[\\w-]{22}]");
  private static final String INDEX =
      """
      {"settings": {"number_of_shards": 3, "number_of_replicas": 0, "gc_deletes": "1h"},
       "mappings": {"properties": {
         "n": {"type": "long"}, "text": {"type": "text", "index": false}}}}
      """;

  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed =
        TestBed.configured(
            NODES.seeds(), "bulk: {streaming: {over: 1mb, section: 256kb, window: 2mb}}");
    for (String index : new String[] {"streamed-straight", "streamed-here"}) {
      NODES.rest().send("PUT", "/" + index, INDEX).orThrow();
    }
    NODES
        .rest()
        .send(
            "PUT",
            "/_ingest/pipeline/streamed-pipeline",
            "{\"processors\":[{\"set\":{\"field\":\"n\",\"value\":7}}]}")
        .orThrow();
  }

  @AfterAll
  static void end() {
    bed.close();
    NODES.rest().send("DELETE", "/streamed-straight,streamed-here,streamed-made").orThrow();
    NODES.rest().send("DELETE", "/_ingest/pipeline/streamed-pipeline").orThrow();
  }

  /** Writes of all kinds, often of the same document, some of which fail. */
  private static byte[] writes(int count, int size) {
    Random random = new Random(count);
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < count; n++) {
      String id = "{\"_id\":\"" + random.nextInt(count / 2) + "\"}}\n";
      String doc = "{\"n\":" + n + ",\"text\":\"" + "text ".repeat(size / 5) + "\"}";
      switch (random.nextInt(8)) {
        case 0 -> lines.append("{\"delete\":").append(id);
        case 1 -> lines.append("{\"create\":").append(id).append(doc).append("\n");
        case 2 ->
            lines
                .append("{ \"update\":")
                .append(id)
                .append("{\"doc\":")
                .append(doc)
                .append(",\"doc_as_upsert\":true}\r\n");
        case 3 -> lines.append("{\"index\":").append(id).append("{\"n\":\"no number\"}\n");
        default -> lines.append("{\"index\":").append(id).append(doc).append("\n");
      }
    }
    return lines.toString().getBytes(UTF_8);
  }

  private static String same(RestReply answer) {
    return answer.status() + VARYING.matcher(answer.body()).replaceAll("");
  }

  private static String content(String index) {
    String search =
        "/"
            + index
            + "/_search?track_total_hits=true&size=1000&sort=n:desc&_source_includes=n&version=true";
    return VARYING.matcher(NODES.rest().send("GET", search).orThrow().body()).replaceAll("");
  }

  @Test
  void areAnsweredAndWrittenAsByANode() {
    byte[] writes = writes(1500, 4000);
    assertThat(writes.length).isGreaterThan(3_000_000);
    RestReply straight = NODES.rest().bulk("/streamed-straight/_bulk?refresh=true", writes);
    RestReply here = bed.rest().bulk("/streamed-here/_bulk?refresh=true", writes);

    assertThat(straight.status()).isEqualTo(200);
    assertThat(same(here)).isEqualTo(same(straight));
    assertThat(content("streamed-here")).isEqualTo(content("streamed-straight"));

    byte[] more = writes(600, 4000);
    String parameters = "/_bulk?pretty&filter_path=-items.*._shards&error_trace=false";
    assertThat(same(bed.rest().bulk("/streamed-here" + parameters, more)))
        .isEqualTo(same(NODES.rest().bulk("/streamed-straight" + parameters, more)));
    assertThat(bed.admin().send("GET", "/metrics").orThrow().body())
        .contains("weir_bulk_streamed_total 2.0");
    bed.assertAtRest();
  }

  @Test
  void createTheirIndexAndLeaveLaterPipelinesToANode() {
    String plain = "{\"index\":{}}\n{\"text\":\"" + "t".repeat(10_000) + "\"}\n";
    String piped = plain.replace("{}", "{\"pipeline\":\"streamed-pipeline\"}");
    byte[] bulk = (plain.repeat(200) + piped.repeat(3)).getBytes(UTF_8);
    RestReply answer = bed.rest().bulk("/streamed-made/_bulk?refresh=true", bulk);

    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains("\"errors\":false", "\"ingest_took\":");
    RestReply found = NODES.rest().send("GET", "/streamed-made/_count?q=n:7").orThrow();
    assertThat(found.body()).startsWith("{\"count\":3,");
    assertThat(NODES.rest().send("GET", "/streamed-made/_count").orThrow().body())
        .startsWith("{\"count\":203,");
    bed.assertAtRest();
  }

  @Test
  void passThroughWholeWherePipelinesComeFirst() {
    String piped =
        "{\"index\":{\"pipeline\":\"streamed-pipeline\",\"_index\":\"streamed-made\"}}\n"
            + "{\"text\":\""
            + "t".repeat(10_000)
            + "\"}\n";
    RestReply answer = bed.rest().bulk("/_bulk", piped.repeat(300).getBytes(UTF_8));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains("\"errors\":false", "\"ingest_took\":");
    assertThat(bed.admin().send("GET", "/metrics").orThrow().body())
        .contains("reason=\"ingest-pipeline\"");
    bed.assertAtRest();
  }

  @Test
  void sayWhatWasDoneBeforeALineThatIsMalformed() {
    String plain = "{\"index\":{}}\n{\"text\":\"" + "t".repeat(10_000) + "\"}\n";
    String wrong = plain.repeat(200) + "{\"index\":1}\n{}\n" + plain;
    RestReply answer = bed.rest().bulk("/streamed-here/_bulk", wrong.getBytes(UTF_8));

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body())
        .contains("bulk_cut_short_exception", "Malformed action/metadata line [401]");
    int executed =
        Integer.parseInt(answer.body().replaceAll("(?s).*?\"executed_items\":\"(\\d+)\".*", "$1"));
    assertThat(executed).isBetween(100, 200);
    assertThat(answer.body().split("\"_id\"", -1)).hasSize(executed + 1);
    bed.assertAtRest();
  }
}
