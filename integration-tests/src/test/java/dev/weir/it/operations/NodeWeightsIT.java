package dev.weir.it.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * An operator drains a node through one of two gateways in front of a real cluster. What the nodes
 * count shows which of them worked.
 */
class NodeWeightsIT {
  private static final String INDEX = "node-weights";
  private static final String SINGLE = "node-weights-single";
  private static final int DOCUMENTS = 120;
  private static final int REQUESTS = 60;
  private static final int ROUNDS = 5;

  private static RestClient rest;
  private static TestBed operated;
  private static TestBed other;
  private static DataNode drained;

  @BeforeAll
  static void prepare() {
    rest = SharedCluster.get().rest();
    create(INDEX, 3, 1);
    create(SINGLE, 3, 0);
    operated = TestBed.inFrontOf(SharedCluster.get().seeds());
    other = TestBed.inFrontOf(SharedCluster.get().seeds());
    drained = SharedCluster.get().nodes().getFirst();
  }

  private static void create(String index, int shards, int replicas) {
    rest.send(
            "PUT",
            "/" + index + "?wait_for_active_shards=all",
            "{\"settings\":{\"number_of_shards\":%d,\"number_of_replicas\":%d,"
                    .formatted(shards, replicas)
                + "\"index.routing.allocation.total_shards_per_node\":"
                + (replicas + 1)
                + "}}")
        .orThrow();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < DOCUMENTS; i++) {
      lines.append("{\"index\":{\"_id\":\"%d\"}}\n{\"n\":%d}\n".formatted(i, i));
    }
    rest.bulk(
            "/" + index + "/_bulk?refresh=true", lines.toString().getBytes(StandardCharsets.UTF_8))
        .orThrow();
  }

  @AfterEach
  void restore() {
    for (DataNode node : SharedCluster.get().nodes()) {
      change(node.spec().name() + "/weight?weight=1");
    }
  }

  @AfterAll
  static void cleanUp() {
    operated.close();
    other.close();
    rest.send("DELETE", "/" + INDEX + "," + SINGLE).orThrow();
    rest.send("PUT", "/_cluster/settings", settings("null")).orThrow();
    assertThat(rest.send("GET", "/_cluster/settings").body()).doesNotContain("node-weight");
  }

  private static String settings(String value) {
    return "{\"persistent\":{\"cluster.metadata.weir.node-weight.*\":" + value + "}}";
  }

  private static RestReply change(String what) {
    return operated.admin().send("POST", "/nodes/" + what);
  }

  private static String name() {
    return drained.spec().name();
  }

  private static Map<String, Object> row(TestBed bed) {
    return JsonResponse.of(bed.admin().send("GET", "/nodes").orThrow()).objects("nodes").stream()
        .filter(node -> name().equals(node.get("name")))
        .findFirst()
        .orElseThrow();
  }

  private static String routing(TestBed bed) {
    return bed.admin().send("GET", "/routing").body();
  }

  private static void awaitState(TestBed bed, String state) {
    Await.untilValue("state " + state, () -> row(bed).get("state"), state::equals);
  }

  private static boolean isAnythingInFlight() {
    return JsonResponse.of(operated.admin().send("GET", "/nodes").orThrow())
        .objects("nodes")
        .stream()
        .anyMatch(node -> ((Number) Objects.requireNonNull(node.get("in_flight"))).intValue() > 0);
  }

  /** Queries and reads of documents that the node has carried out for an index. */
  private static long reads(String index) {
    JsonResponse stats =
        JsonResponse.of(
            rest.send("GET", "/" + index + "/_stats/search,get?level=shards").orThrow());
    long reads = 0;
    for (int shard = 0; shard < 3; shard++) {
      for (Map<String, Object> copy : stats.objects("indices." + index + ".shards." + shard)) {
        JsonResponse counts = new JsonResponse(200, copy);
        if (drained.id().equals(counts.text("routing.node"))) {
          reads += counts.number("search.query_total") + counts.number("get.total");
        }
      }
    }
    return reads;
  }

  /** A node must not restart below them either. */
  @Test
  void countRequestsThatPassThrough() {
    Await.untilValue("nothing in flight", NodeWeightsIT::isAnythingInFlight, any -> !any);
    CompletableFuture<RestReply> slow =
        CompletableFuture.supplyAsync(
            () -> operated.rest().send("GET", "/_cluster/health?wait_for_nodes=%3E99&timeout=3s"));
    Await.untilValue("a request in flight", NodeWeightsIT::isAnythingInFlight, any -> any);
    assertThat(slow.join().body()).contains("\"timed_out\":true");
    Await.untilValue("nothing in flight", NodeWeightsIT::isAnythingInFlight, any -> !any);
  }

  private static void read(TestBed bed, String index) {
    for (int i = 0; i < REQUESTS; i++) {
      RestReply found =
          bed.rest()
              .send(
                  "GET",
                  "/"
                      + index
                      + "/_search?size=0&track_total_hits=true&q=n:%5B"
                      + i
                      + "%20TO%20*%5D");
      assertThat(JsonResponse.of(found.orThrow()).number("hits.total.value"))
          .isEqualTo(Math.max(0, DOCUMENTS - i));
      bed.rest().send("GET", "/" + index + "/_doc/" + i % DOCUMENTS).orThrow();
    }
  }

  @Test
  void noGatewaySendsReadsToADrainedNode() {
    read(operated, INDEX);
    read(other, INDEX);
    assertThat(reads(INDEX)).as("reads before").isPositive();

    RestReply reply = change(name() + "/drain");
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    assertThat(JsonResponse.of(reply).text("state")).isEqualTo("drained");
    awaitState(other, "drained");
    assertThat(readsOfOneRound())
        .as(() -> "reads while drained; " + routing(operated) + routing(other))
        .isZero();
    assertThat(
            other.admin().send("GET", "/routing/explain?index=" + INDEX + "&shard=0").body()
                + other.admin().send("GET", "/routing/explain?index=" + INDEX + "&shard=1").body()
                + other.admin().send("GET", "/routing/explain?index=" + INDEX + "&shard=2").body())
        .contains("drained by an operator");
    assertThat(other.admin().send("GET", "/stats").body())
        .containsOnlyOnce("\"health\": \"drained\"");
    assertThat(other.admin().send("GET", "/metrics").body())
        .containsPattern("weir_node_weight\\{[^}]*node=\"" + drained.id() + "\"[^}]*\\} 0\\.0");
    assertThat(rest.send("GET", "/_cluster/settings?flat_settings=true").body())
        .contains("cluster.metadata.weir.node-weight." + name());

    long before = reads(INDEX);
    change(name() + "/restore?over=1s").orThrow();
    awaitState(other, "full");
    read(other, INDEX);
    assertThat(reads(INDEX)).as("reads after").isGreaterThan(before);
  }

  /**
   * Reads through both gateways, and counts what the drained node does meanwhile. It is asked while
   * the other copy's node stands still for over a second, so some rounds may count such reads.
   */
  private static long readsOfOneRound() {
    long reads = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long before = reads(INDEX);
      read(operated, INDEX);
      read(other, INDEX);
      reads = reads(INDEX) - before;
      if (reads == 0) {
        break;
      }
    }
    return reads;
  }

  @Test
  void theOnlyCopyStaysInUse() {
    RestReply reply = change(name() + "/drain").orThrow();
    assertThat(JsonResponse.of(reply).number("only_copies.count")).isPositive();
    assertThat(String.valueOf(JsonResponse.of(reply).at("only_copies.examples"))).contains(SINGLE);
    awaitState(other, "drained");
    long before = reads(SINGLE);
    read(other, SINGLE);
    assertThat(reads(SINGLE)).isGreaterThan(before);
  }

  @Test
  void requestsPassThroughToOtherNodes() {
    change(name() + "/drain").orThrow();
    awaitState(other, "drained");
    for (int i = 0; i < 10; i++) {
      String local =
          other
              .rest()
              .send("GET", "/_nodes/_local/_none?filter_path=nodes.*.name")
              .orThrow()
              .body();
      assertThat(local).doesNotContain("\"" + name() + "\"");
    }
  }

  @Test
  void refusesWhatIsNotSafeOrUnknown() {
    List<DataNode> nodes = SharedCluster.get().nodes();
    for (DataNode node : nodes.subList(0, nodes.size() - 1)) {
      change(node.spec().name() + "/drain").orThrow();
    }
    RestReply last = change(nodes.getLast().spec().name() + "/drain");
    assertThat(last.status()).isEqualTo(409);
    assertThat(last.body()).contains("illegal_state_exception", "the last data node");
    assertThat(change("nobody/drain").status()).isEqualTo(404);
    assertThat(change("nobody/drain").body()).contains("got node [nobody]", name());
    RestReply wrong = change(name() + "/weight?weight=7");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.body()).contains("got [weight=7", "from 0 to 1");
  }

  @Test
  void aSettingThatCantBeReadHasNoEffect() {
    String key = "cluster.metadata.weir.node-weight." + name();
    rest.send("PUT", "/_cluster/settings", "{\"persistent\":{\"" + key + "\":\"drained please\"}}")
        .orThrow();
    String problem =
        Await.untilValue(
            "a problem",
            () -> other.admin().send("GET", "/nodes").body(),
            body -> body.contains("drained please"));
    assertThat(problem).contains("expected: a weight from 0 to 1");
    assertThat(Objects.toString(row(other).get("state"))).isEqualTo("full");
  }
}
