package dev.weir.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.PluginPlacement;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bulks that the gateway executes while they arrive. */
class StreamedBulkIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final Pattern VARYING =
      Pattern.compile(
          "\"took\" ?: ?\\d+|\"_seq_no\" ?:"
              + " ?\\d+|streamed-[a-z]+|\"index_uuid\" ?: ?\"[\\w-]+\"|\\[[\\w-]{22}]");
  private static final Pattern STREAMED =
      Pattern.compile("(?m)^weir_bulk_streamed_requests_total\\{cluster=\"main\"\\} ([\\d.E+]+)");
  private static final String INDEX =
      """
      {"settings": {"number_of_shards": 3, "number_of_replicas": 0, "gc_deletes": "1h"},
       "mappings": {"properties": {
         "n": {"type": "long"}, "text": {"type": "text", "index": false}}}}
      """;

  private static TestBed bed;

  /** Each test starts with both indices empty, in any order of tests. */
  @BeforeEach
  void createIndices() {
    bed.rest().send("DELETE", "/streamed-*").orThrow();
    for (String index : new String[] {"streamed-straight", "streamed-here"}) {
      bed.rest().send("PUT", "/" + index, INDEX).orThrow();
    }
  }

  @BeforeAll
  static void start() {
    bed =
        TestBed.withSections(
            NODES.seeds(),
            "bulk: {streaming: {threshold: 1mb, section-bytes: 256kb, max-buffered-bytes: 2mb}}");
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
    NODES.rest().send("DELETE", "/streamed-*").orThrow();
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

  /** Returns the number of bulks that were executed while they arrived. */
  private static long streamed() {
    String metrics = bed.admin().send("GET", "/metrics").orThrow().body();
    Matcher value = STREAMED.matcher(metrics);
    assertThat(value.find()).as(metrics).isTrue();
    return (long) Double.parseDouble(value.group(1));
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
    long before = streamed();
    String parameters = "/_bulk?pretty&filter_path=-items.*._shards&error_trace=false";
    assertThat(same(bed.rest().bulk("/streamed-here" + parameters, more)))
        .isEqualTo(same(NODES.rest().bulk("/streamed-straight" + parameters, more)));
    assertThat(streamed()).isEqualTo(before + 1);
    bed.assertNothingHeld();
  }

  private static byte[] documents(String ids, int count) {
    String text = "\"}}\n{\"text\":\"" + "t".repeat(10_000) + "\"}\n";
    return IntStream.range(0, count)
        .mapToObj(n -> "{\"index\":{\"_id\":\"" + ids + n + text)
        .collect(Collectors.joining())
        .getBytes(UTF_8);
  }

  private static HttpRequest.Builder bulk(HttpRequest.BodyPublisher body) {
    return HttpRequest.newBuilder(bed.uri().resolve("/streamed-here/_bulk"))
        .header("Content-Type", "application/x-ndjson")
        .timeout(Duration.ofMinutes(1))
        .POST(body);
  }

  private static byte[] gzip(byte[] body) throws IOException {
    ByteArrayOutputStream coded = new ByteArrayOutputStream();
    try (GZIPOutputStream coder = new GZIPOutputStream(coded)) {
      coder.write(body);
    }
    return coded.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP_1_1 gzip", "HTTP_1_1 expect", "HTTP_2", "HTTP_2 gzip"})
  void comeInEveryWay(String way) throws Exception {
    HttpClient.Version version = HttpClient.Version.valueOf(way.split(" ")[0]);
    byte[] body = documents(way.replace(' ', '-'), 300);
    long before = streamed();
    try (HttpClient client = HttpClient.newBuilder().version(version).build()) {
      URI root = bed.uri().resolve("/");
      client.send(HttpRequest.newBuilder(root).build(), BodyHandlers.discarding());
      byte[] sent = way.contains("gzip") ? gzip(body) : body;
      HttpRequest.Builder request =
          bulk(BodyPublishers.ofByteArray(sent)).expectContinue(way.contains("expect"));
      if (way.contains("gzip")) {
        request.header("Content-Encoding", "gzip");
      }
      HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());

      assertThat(answer.version()).isEqualTo(version);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.body()).contains("\"errors\":false");
      assertThat(answer.body().split("\"status\":201", -1)).hasSize(300 + 1);
    }
    assertThat(streamed()).isEqualTo(before + 1);
    bed.assertNothingHeld();
  }

  /** Sends the last byte late. */
  private static final class Slow extends ByteArrayInputStream {
    private final int last;

    Slow(byte[] bytes, int last) {
      super(bytes);
      this.last = last;
    }

    @Override
    public synchronized int read(byte[] into, int offset, int length) {
      int before = count - last - pos;
      if (before > 0) {
        return super.read(into, offset, Math.min(length, before));
      }
      if (before == 0) {
        LockSupport.parkNanos(Duration.ofMillis(1500).toNanos());
      }
      return super.read(into, offset, length);
    }
  }

  @Test
  void tellOfEachItemThatComesAfterTheirDeadline() throws Exception {
    byte[] body = documents("late-", 300);
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      HttpRequest request =
          bulk(BodyPublishers.ofInputStream(() -> new Slow(body, 500_000)))
              .header("X-Weir-Timeout", "1s")
              .build();
      HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.body().split("\"_id\"", -1)).hasSize(300 + 1);
      assertThat(answer.body())
          .contains("\"errors\":true")
          .containsPattern("\"_id\":\"late-299\",\"status\":408,[^}]*nothing was done");
    }
    RestReply last = NODES.rest().send("GET", "/streamed-here/_doc/late-299");
    assertThat(last.status()).isEqualTo(404);
    bed.assertNothingHeld();
  }

  @Test
  void createTheirIndexAndLeaveLaterPipelinesToANode() {
    String plain = "{\"index\":{}}\n{\"text\":\"" + "t".repeat(10_000) + "\"}\n";
    String piped = plain.replace("{}", "{\"pipeline\":\"streamed-pipeline\"}");
    byte[] bulk = (plain.repeat(200) + piped.repeat(3)).getBytes(UTF_8);
    RestReply answer = bed.rest().bulk("/streamed-created/_bulk?refresh=true", bulk);

    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains("\"errors\":false", "\"ingest_took\":");
    RestReply found = NODES.rest().send("GET", "/streamed-created/_count?q=n:7").orThrow();
    assertThat(found.body()).startsWith("{\"count\":3,");
    assertThat(NODES.rest().send("GET", "/streamed-created/_count").orThrow().body())
        .startsWith("{\"count\":203,");
    bed.assertNothingHeld();
  }

  @Test
  void goToANodeOfThePluginOrWholeWherePipelinesComeFirst() {
    boolean coordinated = PluginPlacement.ofThisRun() != PluginPlacement.NONE;
    long before = streamed();
    String piped =
        "{\"index\":{\"pipeline\":\"streamed-pipeline\",\"_index\":\"streamed-made\"}}\n"
            + "{\"text\":\""
            + "t".repeat(10_000)
            + "\"}\n";
    RestReply answer = bed.rest().bulk("/_bulk", piped.repeat(300).getBytes(UTF_8));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains("\"errors\":false", "\"ingest_took\":");
    assertThat(streamed() - before).isEqualTo(coordinated ? 1 : 0);
    if (!coordinated) {
      assertThat(bed.admin().send("GET", "/metrics").orThrow().body())
          .contains("reason=\"ingest-pipeline\"");
    }
    bed.assertNothingHeld();
  }

  @Test
  void reportItemsBeforeAMalformedLine() {
    String plain = "{\"index\":{}}\n{\"text\":\"" + "t".repeat(10_000) + "\"}\n";
    String wrong = plain.repeat(200) + "{\"index\":1}\n{}\n" + plain;
    RestReply answer = bed.rest().bulk("/streamed-here/_bulk", wrong.getBytes(UTF_8));

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body())
        .contains("bulk_aborted_exception", "Malformed action/metadata line [401]");
    int executed =
        Integer.parseInt(answer.body().replaceAll("(?s).*?\"executed_items\":\"(\\d+)\".*", "$1"));
    assertThat(executed).isBetween(100, 200);
    assertThat(answer.body().split("\"_id\"", -1)).hasSize(executed + 1);
    bed.assertNothingHeld();
  }
}
