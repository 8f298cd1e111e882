package dev.weir.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Transformations of writes: long values are truncated, small bulks are merged. */
class WriteTransformsIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final int LONGEST = 32_766;
  private static final int CLIENTS = 16;
  private static final int WRONG = 5;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed =
        TestBed.withSections(
            NODES.seeds(),
            "bulk: {truncate-keywords: {indices: [way-in-cut]},"
                + " merge: {indices: [way-in-merge], max-delay: 20ms}}");
    for (String index : List.of("way-in-cut", "way-in-merge")) {
      NODES
          .rest()
          .send(
              "PUT",
              "/" + index + "?wait_for_active_shards=all",
              "{\"settings\": {\"number_of_shards\": 1, \"number_of_replicas\": 1}, \"mappings\":"
                  + " {\"properties\": {\"k\": {\"type\": \"keyword\"}, \"n\": {\"type\":"
                  + " \"integer\"}}}}")
          .orThrow();
    }
  }

  @AfterAll
  static void close() {
    NODES.rest().send("DELETE", "/way-in-*").orThrow();
    bed.assertNothingHeld();
    bed.close();
  }

  private static HttpResponse<String> send(String path, String body)
      throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
          HttpRequest.newBuilder(bed.uri().resolve(path))
              .version(HttpClient.Version.HTTP_1_1)
              .timeout(TIMEOUT)
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  /** Asserts a document's source on the node, byte for byte. */
  private static void assertStored(String id, String source) {
    RestReply stored = NODES.rest().send("GET", "/way-in-cut/_doc/" + id).orThrow();
    assertThat(stored.body()).endsWith("\"found\":true,\"_source\":" + source + "}");
  }

  @Test
  void cutsValuesThatANodeWouldNotTake() throws IOException, InterruptedException {
    String fits = "\\u00e9" + "x".repeat(LONGEST - 4);
    String over = "{\"n\" : 1, \"k\":\"" + fits + "😀y\",\"t\":\"\\u00e9\\\"\" }";
    String cut = "{\"n\" : 1, \"k\":\"" + fits + "\",\"t\":\"\\u00e9\\\"\" }";
    RestReply refused = NODES.rest().send("PUT", "/way-in-cut/_doc/0", over);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body()).contains("immense term");

    String other = "{ \"k\" :\"short\", \"t\":\"" + "z".repeat(LONGEST * 2) + "\"}";
    HttpResponse<String> bulk =
        send(
            "/way-in-cut/_bulk",
            "{\"index\":{\"_id\":\"a\"}}\n"
                + other
                + "\n{\"create\":{\"_id\":\"b\"}}\n"
                + over
                + "\n{\"update\":{\"_id\":\"c\"}}\n{\"doc_as_upsert\":true,\"doc\":"
                + over
                + "}\n");
    assertThat(bulk.body()).contains("\"errors\":false");
    assertThat(bulk.headers().allValues("X-Weir-Truncated")).containsExactly("2; items=1,2");
    assertStored("a", other);
    assertStored("b", cut);
    assertThat(NODES.rest().send("GET", "/way-in-cut/_doc/c").orThrow().body())
        .contains("x\",\"t\":");

    HttpResponse<String> single = send("/way-in-cut/_doc/d", over);
    assertThat(single.statusCode()).isEqualTo(201);
    assertThat(single.headers().allValues("X-Weir-Truncated")).containsExactly("1; items=0");
    assertStored("d", cut);
    HttpResponse<String> update = send("/way-in-cut/_update/a", "{\"doc\":" + over + "}");
    assertThat(update.statusCode()).isEqualTo(200);
    assertThat(update.headers().allValues("X-Weir-Truncated")).containsExactly("1; items=0");
    HttpResponse<String> nothing = send("/way-in-cut/_doc/e", other);
    assertThat(nothing.statusCode()).isEqualTo(201);
    assertThat(nothing.headers().allValues("X-Weir-Truncated")).isEmpty();
    assertThat(stat("truncated_values")).isEqualTo(4);
    assertThat(stat("truncated_documents")).isEqualTo(4);
  }

  private static long stat(String name) {
    String stats = bed.admin().send("GET", "/stats").orThrow().body();
    Matcher value = Pattern.compile("\"" + name + "\"\\s*:\\s*(\\d+)").matcher(stats);
    assertThat(value.find()).as(name).isTrue();
    return Long.parseLong(value.group(1));
  }

  @Test
  void sendsSmallBulksTogetherAndGivesEachClientItsOwn()
      throws ExecutionException, InterruptedException {
    int rounds = 0;
    long end = System.nanoTime() + TIMEOUT.toNanos();
    try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      do { // until chance has brought some together
        String round = "r" + rounds++ + "-";
        List<Future<RestReply>> replies = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
          String lines =
              "{\"index\":{\"_id\":\""
                  + round
                  + i
                  + "\"}}\n{\"n\":"
                  + (i == WRONG ? "\"none\"" : i)
                  + "}\n{\"delete\":{\"_id\":\"never-"
                  + round
                  + i
                  + "\"}}\n";
          replies.add(
              clients.submit(() -> bed.rest().bulk("/way-in-merge/_bulk", lines.getBytes(UTF_8))));
        }
        for (int i = 0; i < CLIENTS; i++) {
          assertOwn(replies.get(i).get().orThrow(), round + i, i == WRONG);
        }
      } while (stat("merge_calls") == 0 && System.nanoTime() < end);
    }
    assertThat(stat("merged_shard_requests")).isGreaterThan(stat("merge_calls")).isPositive();
    assertThat(stat("merge_waiting_shard_requests")).isZero();
    NODES.rest().send("POST", "/way-in-merge/_refresh").orThrow();
    assertThat(NODES.rest().send("GET", "/way-in-merge/_count").orThrow().body())
        .startsWith("{\"count\":" + rounds * (CLIENTS - 1) + ",");
  }

  private static void assertOwn(RestReply reply, String id, boolean wrong) {
    assertThat(reply.body())
        .matches(
            "\\{\"took\":\\d+,\"errors\":"
                + wrong
                + ",\"items\":\\[\\{\"index\":.*"
                + "\\{\"delete\":.*\\]\\}")
        .contains("\"_id\":\"" + id + "\"", "\"_id\":\"never-" + id + "\"");
    assertThat(Pattern.compile("\"_id\":").matcher(reply.body()).results()).hasSize(2);
    assertThat(reply.body().contains("mapper_parsing_exception")).isEqualTo(wrong);
  }
}
