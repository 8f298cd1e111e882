package dev.weir.it.operations;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * New copies get recent searches again before clients' searches, on nodes that restart and on nodes
 * that get a replica. A second gateway, where this is switched off, is the comparison.
 */
@Drawn(oneIn = 3)
class WarmUpIT {
  private static final int DOCUMENTS = 500;

  private static DataNodeCluster nodes;
  private static TestBed warming;
  private static TestBed plain;

  @BeforeAll
  static void startNodes() {
    nodes = DataNodeCluster.start(ClusterSpec.ofNodes(3).withName("weir-warm-up"));
    warming =
        TestBed.withSections(nodes.seeds(), "search: {warm-up: {enabled: true, max-duration: 2m}}");
    plain = TestBed.withSections(nodes.seeds(), "search: {warm-up: {enabled: false}}");
    nodes
        .rest()
        .send(
            "PUT",
            "/_cluster/settings",
            "{\"persistent\":{\"cluster.routing.rebalance.enable\":\"none\"}}")
        .orThrow();
  }

  @AfterAll
  static void endNodes() {
    warming.close();
    plain.close();
    nodes.close();
  }

  private static void create(String index, int replicas) {
    nodes
        .rest()
        .send(
            "PUT",
            "/" + index + "?wait_for_active_shards=all",
            "{\"settings\":{\"number_of_shards\":2,\"number_of_replicas\":"
                + replicas
                + ",\"index.unassigned.node_left.delayed_timeout\":\"10m\"},\"mappings\":"
                + "{\"properties\":{\"city\":{\"type\":\"keyword\"},\"n\":{\"type\":\"long\"}}}}")
        .orThrow();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < DOCUMENTS; i++) {
      lines.append("{\"index\":{\"_id\":\"%d\"}}\n".formatted(i));
      lines.append("{\"n\":%d,\"city\":\"city-%d\"}\n".formatted(i, i % 40));
    }
    nodes
        .rest()
        .bulk("/" + index + "/_bulk?refresh=true", lines.toString().getBytes(UTF_8))
        .orThrow();
  }

  /** The searches of clients; each has a response that is known. */
  private static void search(TestBed bed, String index, int from) {
    JsonResponse count =
        JsonResponse.of(
            bed.rest()
                .send(
                    "POST",
                    "/" + index + "/_search",
                    "{\"size\":0,\"track_total_hits\":true,"
                        + "\"query\":{\"range\":{\"n\":{\"gte\":%d}}},".formatted(from)
                        + "\"aggs\":{\"cities\":{\"terms\":{\"field\":\"city\",\"size\":100}}}}")
                .orThrow());
    assertThat(count.number("hits.total.value")).isEqualTo(DOCUMENTS - from);
    assertThat(count.number("_shards.failed")).isZero();
    assertThat(
            count.objects("aggregations.cities.buckets").stream()
                .mapToLong(bucket ->
                    ((Number) Objects.requireNonNull(bucket.get("doc_count"))).longValue())
                .sum())
        .isEqualTo(DOCUMENTS - from);
    JsonResponse hits =
        JsonResponse.of(
            bed.rest()
                .send("GET", "/" + index + "/_search?size=3&sort=n&q=n:%5B" + from + "%20TO%20*%5D")
                .orThrow());
    assertThat(hits.objects("hits.hits")).hasSize(3);
    assertThat(hits.objects("hits.hits").getFirst().get("_id")).isEqualTo(String.valueOf(from));
  }

  private static void search(String index, int rounds) {
    for (int i = 0; i < rounds; i++) {
      search(warming, index, i % 50);
      search(plain, index, i % 50);
    }
  }

  private static JsonResponse stats(TestBed bed) {
    return JsonResponse.of(bed.admin().send("GET", "/stats").orThrow());
  }

  private static long warmedCopies(TestBed bed) {
    return stats(bed).at("warm_up.warmed_copies") instanceof Map<?, ?> ended
        ? ended.values().stream().mapToLong(count -> ((Number) count).longValue()).sum()
        : -1;
  }

  /** Queries that a node has carried out for an index since it started. */
  private static long queries(DataNode node, String index) {
    JsonResponse stats =
        JsonResponse.of(
            nodes.rest().send("GET", "/" + index + "/_stats/search?level=shards").orThrow());
    long queries = 0;
    for (int shard = 0; shard < 2; shard++) {
      for (Map<String, Object> copy : stats.objects("indices." + index + ".shards." + shard)) {
        JsonResponse counts = new JsonResponse(200, copy);
        if (node.id().equals(counts.text("routing.node"))) {
          queries += counts.number("search.query_total");
        }
      }
    }
    return queries;
  }

  @Test
  void aNodeThatComesBackIsWarmedAndThenServes() throws Exception {
    create("restarted", 2);
    search("restarted", 30);
    assertThat(stats(warming).number("warm_up.remembered_searches")).isPositive();
    long before = warmedCopies(warming);
    long sent = stats(warming).number("warm_up.requests");
    DataNode victim = nodes.node(2);
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    AtomicLong searches = new AtomicLong();
    AtomicBoolean done = new AtomicBoolean();
    victim.stop();
    nodes.awaitNodes(2);
    victim.start();
    nodes.awaitGreen();
    Await.untilValue("warmed copies", () -> warmedCopies(warming), count -> count >= before + 2);
    long replayed = stats(warming).number("warm_up.requests") - sent;
    assertThat(replayed).isPositive();
    assertThat(queries(victim, "restarted")).as("no client has searched").isPositive();
    assertThat(stats(warming).number("warm_up.failures")).isZero();
    Await.untilValue(
        "copies that are warmed",
        () -> stats(warming).number("warm_up.warming_copies"),
        count -> count == 0);

    Thread client =
        Thread.ofVirtual()
            .start(() -> {
              while (!done.get() && failures.isEmpty()) {
                try {
                  search(warming, "restarted", (int) (searches.incrementAndGet() % 50));
                } catch (Throwable failure) {
                  failures.add(failure);
                }
              }
            });
    long warm = queries(victim, "restarted");
    try {
      Await.untilValue(
          "clients' searches on the node",
          () -> queries(victim, "restarted"),
          count -> !failures.isEmpty() || count > warm + 20);
    } finally {
      done.set(true);
      client.join();
    }
    assertThat(failures).isEmpty();
    assertThat(stats(plain).number("warm_up.requests")).isZero();
    warming.assertNothingHeld();
  }

  @Test
  void aNewReplicaIsWarmedBeforeClientsSearchIt() {
    create("widened", 1);
    search("widened", 30);
    long before = warmedCopies(warming);
    RestReply widened =
        nodes.rest().send("PUT", "/widened/_settings", "{\"number_of_replicas\":2}").orThrow();
    assertThat(widened.status()).isEqualTo(200);
    nodes.awaitGreen();
    Await.untilValue("warmed copies", () -> warmedCopies(warming), count -> count >= before + 2);
    search("widened", 10);
    assertThat(warming.admin().send("GET", "/metrics").body())
        .containsPattern("weir_warm_up_requests_total\\{[^}]*\\} [1-9]");
    assertThat(stats(plain).number("warm_up.requests")).isZero();
    assertThat(stats(plain).number("warm_up.remembered_searches")).isZero();
  }

  @Test
  void anOnlyCopyServesAtOnce() {
    create("single", 0);
    search("single", 30);
    long before = warmedCopies(warming);
    for (DataNode avoided : nodes.nodes()) {
      nodes
          .rest()
          .send(
              "PUT",
              "/single/_settings",
              "{\"index.routing.allocation.exclude._name\":\"" + avoided.name() + "\"}")
          .orThrow();
      Await.untilValue(
          "shards elsewhere",
          () -> nodes.rest().send("GET", "/_cat/shards/single?h=state,node").orThrow().body(),
          shards ->
              !shards.contains(avoided.name())
                  && !shards.contains("RELOCATING")
                  && !shards.contains("INITIALIZING"));
      search("single", 5);
    }
    assertThat(warmedCopies(warming)).isEqualTo(before);
    assertThat(stats(warming).number("warm_up.warming_copies")).isZero();
  }
}
