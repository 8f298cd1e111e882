package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.Ports;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that are too large for the gateway's memory, alone and beside small ones. */
@Drawn(oneIn = 3)
class RequestMemoryIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final String INDEX = "faults-memory";
  private static final int SEGMENTS = 40;
  private static final int KEYS = 600;
  private static final int KEY_LENGTH = 4000;

  /** Matches documents below zero at once, and takes long for the others. */
  private static final String SLOW_BESIDE_QUICK =
      """
      {"query": {"script": {"script": {"source":
       "double turn(double x) { double s = x; for (int i = 0; i < 500000; i++) { s = Math.sin(s + i) } return s }
        if (doc['n'].value < 0) { return true }
        double all = 0; for (int i = 0; i < 15; i++) { all += turn(doc['n'].value + i) } return all < 1e300"}}},
       "aggs": {"wide": {"terms": {"field": "key", "size": 10000}}}}
      """
          .replace("\n", " ");

  @BeforeAll
  static void load() {
    NODES
        .rest()
        .send(
            "PUT",
            "/" + INDEX,
            """
            {"settings": {"number_of_shards": 2, "number_of_replicas": 0, "refresh_interval": -1,
              "merge.policy.segments_per_tier": 100, "merge.policy.max_merge_at_once": 100},
             "mappings": {"properties": {"n": {"type": "long"}, "at": {"type": "date"},
              "key": {"type": "keyword"}, "text": {"type": "text", "index": false}}}}
            """)
        .orThrow();
    StringBuilder quick = new StringBuilder();
    for (int n = 0; n < KEYS; n++) {
      quick.append("{\"index\":{}}\n{\"n\":-").append(n + 1).append(",\"at\":").append(n);
      quick.append(",\"key\":\"").append("k".repeat(KEY_LENGTH)).append(n).append("\"}\n");
    }
    bulk("refresh=true&routing=" + routing(0), quick.toString());
    int slow = routing(1);
    for (int n = 0; n < SEGMENTS; n++) {
      bulk("refresh=true&routing=" + slow, "{\"index\":{}}\n{\"n\":" + n + "}\n");
    }
  }

  /** Returns a routing value whose documents go to that shard. */
  private static int routing(int shard) {
    for (int routing = 0; ; routing++) {
      String path = "/" + INDEX + "/_search_shards?routing=" + routing;
      if (NODES.rest().send("GET", path).orThrow().body().contains("\"shard\":" + shard + ",")) {
        return routing;
      }
    }
  }

  private static void bulk(String parameters, String lines) {
    NODES.rest().bulk("/" + INDEX + "/_bulk?" + parameters, lines.getBytes(UTF_8)).orThrow();
  }

  @AfterAll
  static void end() {
    NODES.rest().send("DELETE", "/" + INDEX).orThrow();
  }

  private static long completedQueries() {
    return JsonResponse.of(NODES.rest().send("GET", "/" + INDEX + "/_stats/search").orThrow())
        .number("_all.total.search.query_total");
  }

  @Test
  void rejectOnlyTheOversizedRequestAndCancelItsTasks() {
    try (TestBed bed =
        TestBed.withSections(
            NODES.seeds(), "admission: {request-memory: {max-bytes: 1mb, pass-through: false}}")) {
      long completed = completedQueries();
      RestReply refused =
          bed.rest().send("POST", "/" + INDEX + "/_search?request_cache=false", SLOW_BESIDE_QUICK);

      assertThat(refused.status()).as(refused.body()).isEqualTo(429);
      JsonResponse error = JsonResponse.of(refused);
      assertThat(error.text("error.caused_by.type")).isEqualTo("circuit_breaking_exception");
      assertThat(error.text("error.caused_by.reason"))
          .contains("data for [node answers]", "admission.request-memory.max-bytes");
      assertThat(error.text("error.caused_by.growth")).isEqualTo("aggregation [wide] (terms)");
      LeakChecks.assertNone(bed, NODES);
      assertThat(completedQueries() - completed)
          .as("queries that ran to their end: that of the quick shard alone")
          .isEqualTo(1);
      assertThat(bed.rest().send("GET", "/" + INDEX + "/_search?size=1").status()).isEqualTo(200);
      assertThat(bed.rest().send("GET", "/" + INDEX + "/_search?size=1000").status())
          .isEqualTo(429);
      JsonResponse stats = JsonResponse.of(bed.admin().send("GET", "/stats"));
      assertThat(stats.number("request_memory.rejections.request")).isEqualTo(2);
      assertThat(stats.objects("request_memory.recent_rejections").getFirst())
          .containsEntry("request_line", "GET /" + INDEX + "/_search?size=1000")
          .containsEntry("limit", "request");
      assertThat(
              JsonResponse.of(bed.admin().send("GET", "/routing/explain?rejections=1"))
                  .text("rejections"))
          .contains(
              "request_line=GET /" + INDEX + "/_search?size=1000",
              "rejected_by=memory",
              "breakdown=[");
      LeakChecks.assertNone(bed, NODES);
    }
  }

  @Test
  void survivesMonstersWithASmallHeapWhileNeighboursGoOn(@TempDir Path folder) throws Exception {
    Random random = TestSeed.random(RequestMemoryIT.class);
    int port = Ports.findFree(random);
    int admin = Ports.findFree(random);
    NODES
        .rest()
        .send("PUT", "/_cluster/settings", "{\"transient\":{\"search.max_buckets\":2000000000}}")
        .orThrow();
    try (GatewayChildProcess gateway = start(folder, port, admin)) {
      gateway.awaitReady(URI.create("http://127.0.0.1:" + admin));
      try (RestClient rest = new RestClient(URI.create("http://127.0.0.1:" + port));
          Neighbour neighbour = new Neighbour(URI.create("http://127.0.0.1:" + port))) {
        RestReply histogram =
            rest.send(
                "POST",
                "/" + INDEX + "/_search?size=0",
                """
                {"aggs": {"empty": {"histogram": {"field": "n", "interval": 1, "min_doc_count": 0,
                  "extended_bounds": {"min": 0, "max": 5000000}}}}}
                """);
        assertRefused(histogram, "aggregation [empty] (histogram)");
        RestReply dates =
            rest.send(
                "POST",
                "/" + INDEX + "/_search?size=0",
                """
                {"aggs": {"seconds": {"date_histogram": {"field": "at", "fixed_interval": "1s",
                  "extended_bounds": {"min": 0, "max": 1700000000000}}}}}
                """);
        assertRefused(dates, "aggregation [seconds] (date_histogram)");
        RestReply bulk = rest.bulk("/_bulk?filter_path=errors", hundredMegabytes());
        assertThat(bulk.status()).as(bulk.body()).isIn(200, 429);

        assertThat(gateway.exitCode()).as(Files.readString(gateway.log())).isNotDone();
        assertThat(Files.readString(gateway.log())).doesNotContain("OutOfMemoryError");
        neighbour.awaitSearches(20);
        neighbour.end();
      }
      try (RestClient stats = new RestClient(URI.create("http://127.0.0.1:" + admin))) {
        Await.untilValue(
            "bytes that requests hold",
            () ->
                JsonResponse.of(stats.send("GET", "/stats"))
                    .number("in_flight.request_memory_bytes"),
            held -> held == 0);
      }
    } finally {
      NODES
          .rest()
          .send("PUT", "/_cluster/settings", "{\"transient\":{\"search.max_buckets\":null}}")
          .orThrow();
    }
  }

  private static void assertRefused(RestReply reply, String grown) {
    assertThat(reply.status()).as(reply.body()).isEqualTo(429);
    JsonResponse error = JsonResponse.of(reply);
    assertThat(error.text("error.caused_by.type")).isEqualTo("circuit_breaking_exception");
    assertThat(error.text("error.caused_by.reason")).contains(grown);
  }

  /** Starts a gateway with the default heap of users in front of the shared cluster. */
  static GatewayChildProcess start(Path folder, int port, int admin) throws IOException {
    return start(folder, port, admin, "", "");
  }

  /** Starts a gateway with additional {@code http} keys and further sections. */
  static GatewayChildProcess start(Path folder, int port, int admin, String http, String more)
      throws IOException {
    String seeds =
        NODES.seeds().stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
    Path config =
        Files.writeString(
            folder.resolve("weir.yaml"),
            """
            clusters: {main: {seeds: [%s]}}
            http: {listen: "127.0.0.1:%d"%s}
            admin: {listen: "127.0.0.1:%d"}
            %s
            """
                .formatted(seeds, port, http, admin, more));
    return GatewayChildProcess.start(config, folder.resolve("gateway.log"));
  }

  private static byte[] hundredMegabytes() {
    String document =
        "{\"index\":{\"_index\":\"" + INDEX + "\"}}\n{\"text\":\"" + "x".repeat(500_000) + "\"}\n";
    return document.repeat(100_000_000 / document.length()).getBytes(UTF_8);
  }

  /** Searches one after the other, all of which must succeed. */
  private static final class Neighbour implements AutoCloseable, Callable<List<String>> {
    private final URI gateway;
    private final FutureTask<List<String>> searches = new FutureTask<>(this);
    private final AtomicInteger answered = new AtomicInteger();
    private volatile boolean stopping;

    Neighbour(URI gateway) {
      this.gateway = gateway;
      Thread.ofVirtual().start(searches);
    }

    @Override
    public List<String> call() {
      List<String> failures = new ArrayList<>();
      try (RestClient rest = new RestClient(gateway)) {
        while (!stopping) {
          RestReply reply =
              rest.send(
                  "POST",
                  "/" + INDEX + "/_search",
                  "{\"size\":1,\"aggs\":{\"n\":{\"avg\":{\"field\":\"n\"}}}}");
          if (reply.status() != 200) {
            failures.add(reply.body());
          }
          answered.incrementAndGet();
        }
      }
      return failures;
    }

    /** Waits for so many answers; none comes any more once the neighbour itself has failed. */
    void awaitSearches(int count) {
      Await.untilValue(
          "searches of the neighbour",
          answered::get,
          searched -> searched >= count || searches.isDone());
    }

    /** Stops it; each of its searches must have succeeded. */
    void end() throws InterruptedException, ExecutionException {
      stopping = true;
      assertThat(searches.get()).as("searches of the neighbour that failed").isEmpty();
    }

    @Override
    public void close() {
      stopping = true;
    }
  }
}
