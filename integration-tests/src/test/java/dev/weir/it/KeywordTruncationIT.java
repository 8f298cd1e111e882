package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.XContentBuilder;

/**
 * Values that a keyword shares with other fields, that a dynamic template will map, and in other
 * formats than JSON: a node rejects their documents, and the gateway truncates them.
 */
class KeywordTruncationIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final String CUT = "truncation-cut";
  private static final String PLAIN = "truncation-plain";
  private static final int LONGEST = 32_766;
  private static final String OVER = "x".repeat(LONGEST - 1) + "éy";
  private static final String FULL = "x".repeat(LONGEST - 1);
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static final String INDEX =
      """
      {"settings": {"number_of_shards": 1, "number_of_replicas": 0}, "mappings": {
        "dynamic_templates": [{"ids": {"match": "*_id", "match_mapping_type": "string",
          "mapping": {"type": "keyword"}}}],
        "properties": {
          "t": {"type": "text", "fields": {"keyword": {"type": "keyword"}}},
          "copied": {"type": "text", "copy_to": ["all"]},
          "all": {"type": "keyword"},
          "flat": {"type": "flat_object"}}}}
      """;

  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed =
        TestBed.withSections(
            NODES.seeds(),
            "bulk: {truncate-keywords: {indices: [" + CUT + "], shared-values: true}}");
    for (String index : List.of(CUT, PLAIN)) {
      assertThat(bed.rest().send("PUT", "/" + index, INDEX).status()).isEqualTo(200);
    }
  }

  @AfterAll
  static void close() {
    NODES.rest().send("DELETE", "/" + CUT + "," + PLAIN);
    bed.assertNothingHeld();
    bed.close();
  }

  private static HttpResponse<String> put(URI to, String path, byte[] body, String type)
      throws IOException, InterruptedException {
    return HTTP.send(
        HttpRequest.newBuilder(to.resolve(path))
            .version(HttpClient.Version.HTTP_1_1)
            .timeout(TIMEOUT)
            .header("Content-Type", type)
            .PUT(HttpRequest.BodyPublishers.ofByteArray(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static Map<String, Object> stored(String id) {
    return SampledFigures.at(
        SampledFigures.json(NODES.rest().send("GET", "/" + CUT + "/_doc/" + id).body()), "_source");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"t\":\"%s\"}",
        "{\"copied\":\"%s\"}",
        "{\"user_id\":\"%s\"}",
        "{\"new\":{\"session_id\":\"%s\"}}"
      })
  void storesWhatANodeRejects(String document) throws IOException, InterruptedException {
    byte[] body = document.formatted(OVER).getBytes(StandardCharsets.UTF_8);
    HttpResponse<String> refused =
        put(bed.uri(), "/" + PLAIN + "/_doc/1", body, "application/json");
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(refused.body()).contains("immense term");
    HttpResponse<String> written = put(bed.uri(), "/" + CUT + "/_doc/1", body, "application/json");
    assertThat(written.statusCode()).as(written.body()).isIn(200, 201);
    assertThat(written.headers().allValues("X-Weir-Truncated")).containsExactly("1; items=0");
    assertThat(stored("1")).isEqualTo(SampledFigures.json(document.formatted(FULL)));
  }

  /** By default a string becomes a text field with a keyword that ignores long values. */
  @Test
  void leavesWhatANodeTakes() throws IOException, InterruptedException {
    String document = "{\"unknown\":\"" + OVER + "\"}";
    byte[] body = document.getBytes(StandardCharsets.UTF_8);
    for (String index : List.of(PLAIN, CUT)) {
      HttpResponse<String> written =
          put(bed.uri(), "/" + index + "/_doc/2", body, "application/json");
      assertThat(written.statusCode()).as(written.body()).isEqualTo(201);
      assertThat(written.headers().allValues("X-Weir-Truncated")).isEmpty();
    }
    assertThat(stored("2")).isEqualTo(SampledFigures.json(document));
  }

  @Test
  void countsWhatItLeavesAlone() throws IOException, InterruptedException {
    byte[] body = ("{\"flat\":{\"a\":\"" + OVER + "\"}}").getBytes(StandardCharsets.UTF_8);
    HttpResponse<String> refused = put(bed.uri(), "/" + CUT + "/_doc/3", body, "application/json");
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(bed.admin().send("GET", "/metrics").body()).contains("reason=\"flat_object\"} 1.0");
    assertThat(bed.admin().send("GET", "/stats").body()).contains("\"untruncated_documents\"");
  }

  @ParameterizedTest
  @EnumSource(
      value = XContentType.class,
      names = {"CBOR", "SMILE", "YAML"})
  void truncatesInOtherFormats(XContentType type) throws IOException, InterruptedException {
    byte[] body = document(type, OVER);
    String path = "/_doc/" + type;
    HttpResponse<String> refused = put(bed.uri(), "/" + PLAIN + path, body, type.mediaType());
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    HttpResponse<String> written = put(bed.uri(), "/" + CUT + path, body, type.mediaType());
    assertThat(written.statusCode()).as(written.body()).isEqualTo(201);
    assertThat(written.headers().allValues("X-Weir-Truncated")).containsExactly("1; items=0");
    assertThat(stored(type.toString()))
        .isEqualTo(
            SampledFigures.json(
                new String(document(XContentType.JSON, FULL), StandardCharsets.UTF_8)));
  }

  private static byte[] document(XContentType type, String id) throws IOException {
    try (XContentBuilder builder = XContentBuilder.builder(type.xContent())) {
      builder.startObject().field("n", 1.5).field("order_id", id);
      builder.startArray("list").value("007").value("8").endArray();
      builder.field("long", 1L << 40).endObject();
      return BytesReference.toBytes(BytesReference.bytes(builder));
    }
  }
}
