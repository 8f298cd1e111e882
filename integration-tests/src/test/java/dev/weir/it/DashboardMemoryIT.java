package dev.weir.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A dashboard of 12 panels, each with percentiles of 80 intervals, in a gateway whose pool of
 * reductions has room for two of them as objects. One client sends it, and eight at once.
 */
class DashboardMemoryIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final String INDEX = "dashboard-memory";
  private static final int INTERVALS = 80;
  private static final int PANELS = 12;
  private static final int CLIENTS = 8;

  private static final String MEMORY =
      """
      admission:
        max-total-response-bytes: 16mb
        queue: {max-wait: 2m, max-waiting: 1000}
        request-memory:
          {max-bytes: 24mb, max-total-reduce-bytes: 16mb, max-wait: 2m, pass-through: false}
      """;

  @BeforeAll
  static void load() {
    NODES
        .rest()
        .send(
            "PUT",
            "/" + INDEX,
            """
            {"settings": {"number_of_shards": 4, "number_of_replicas": 0},
             "mappings": {"properties": {"at": {"type": "date"}, "took": {"type": "long"},
              "host": {"type": "keyword"}}}}
            """)
        .orThrow();
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < 8 * INTERVALS; n++) {
      lines.append("{\"index\":{}}\n{\"at\":").append(n % INTERVALS * 900_000L);
      lines.append(",\"took\":").append(n * 7919L % 1000);
      lines.append(",\"host\":\"h").append(n % 5).append("\"}\n");
    }
    NODES
        .rest()
        .bulk("/" + INDEX + "/_bulk?refresh=true", lines.toString().getBytes(UTF_8))
        .orThrow();
  }

  @AfterAll
  static void end() {
    NODES.rest().send("DELETE", "/" + INDEX).orThrow();
  }

  private static String dashboard() {
    StringBuilder lines = new StringBuilder();
    for (int panel = 0; panel < PANELS; panel++) {
      lines.append("{\"index\":\"").append(INDEX).append("\"}\n");
      lines.append(
          """
          {"size": %d, "sort": ["at", "took", "host"], "query": {"range": {"took": {"gte": %d}}},
           "aggs": {"time": {"date_histogram": {"field": "at", "fixed_interval": "15m"},
            "aggs": {"took": {"percentiles": {"field": "took"}}}}}}
          """
              .formatted(panel % 3, panel)
              .replace("\n", " "));
      lines.append('\n');
    }
    return lines.toString();
  }

  private static RestReply send(RestClient client, String parameters) {
    return client.send("POST", "/_msearch" + parameters, dashboard());
  }

  /** Returns the body without its times. */
  private static String withoutTimes(RestReply reply) {
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    return reply.body().replaceAll("\"took\":\\d+,", "\"took\":0,");
  }

  @Test
  void refuseNoPanelAndAnswerAsANode() {
    String expected = withoutTimes(send(NODES.rest(), ""));
    assertThat(expected).doesNotContain("\"error\"").hasSizeGreaterThan(1 << 17);
    try (TestBed bed = TestBed.withSections(NODES.seeds(), MEMORY)) {
      for (String parameters : List.of("?max_concurrent_searches=1", "")) {
        String found = withoutTimes(send(bed.rest(), parameters));
        assertThat(found.equals(expected)).as(firstDifference(found, expected)).isTrue();
      }
      bed.assertNothingHeld();
    }
  }

  @Test
  void refuseNoPanelOfEightClients() {
    String expected = withoutTimes(send(NODES.rest(), ""));
    try (TestBed bed = TestBed.withSections(NODES.seeds(), MEMORY);
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      List<CompletableFuture<RestReply>> replies =
          Stream.generate(() -> CompletableFuture.supplyAsync(() -> send(bed.rest(), ""), clients))
              .limit(CLIENTS)
              .toList();
      for (CompletableFuture<RestReply> reply : replies) {
        String found = withoutTimes(reply.join());
        assertThat(found.equals(expected)).as(firstDifference(found, expected)).isTrue();
      }
      bed.assertNothingHeld();
    }
  }

  private static String firstDifference(String found, String expected) {
    int at = 0;
    while (at < Math.min(found.length(), expected.length())
        && found.charAt(at) == expected.charAt(at)) {
      at++;
    }
    int from = Math.max(0, at - 100);
    return "got "
        + found.substring(from, Math.min(found.length(), at + 300))
        + "\n(expected: "
        + expected.substring(from, Math.min(expected.length(), at + 300))
        + ")";
  }
}
