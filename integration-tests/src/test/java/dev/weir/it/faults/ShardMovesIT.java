package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.junit.Drawn;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Shards that an operator moves from node to node under searches and bulks. */
@Drawn(oneIn = 3)
class ShardMovesIT {
  private static final int MOVES = 12;
  private static final int DOCUMENTS = 50;
  private static final Pattern ACTIVE =
      Pattern.compile("\"state\":\"(?:STARTED|RELOCATING)\",\"node\":\"([^\"]+)\"");

  private static DataNodeCluster nodes;
  private static TestBed bed;

  @BeforeAll
  static void startNodes() {
    nodes = DataNodeCluster.start(ClusterSpec.ofNodes(3).withName("weir-moves"));
    bed = TestBed.inFrontOf(nodes.seeds());
    nodes
        .rest()
        .send(
            "PUT",
            "/_cluster/settings",
            "{\"transient\":{\"cluster.routing.rebalance.enable\":\"none\"}}")
        .orThrow();
    create("single", 0);
    create("copied", 1);
  }

  @AfterAll
  static void endNodes() {
    bed.close();
    nodes.close();
  }

  private static void create(String index, int replicas) {
    nodes
        .rest()
        .send(
            "PUT",
            "/" + index + "?wait_for_active_shards=all",
            "{\"settings\":{\"number_of_shards\":1,\"number_of_replicas\":" + replicas + "}}")
        .orThrow();
    StringBuilder documents = new StringBuilder();
    for (int i = 0; i < DOCUMENTS; i++) {
      documents.append("{\"index\":{}}\n{\"n\":").append(i).append("}\n");
    }
    nodes
        .rest()
        .bulk("/" + index + "/_bulk?refresh=true", documents.toString().getBytes(UTF_8))
        .orThrow();
  }

  /** While a shard moves, another copy answers, or the same one from where it is. */
  @Test
  void answerEverySearchOfAnIndexWithTwoCopies() throws Exception {
    Queue<String> failures = new ConcurrentLinkedQueue<>();
    AtomicLong searches = new AtomicLong();
    AtomicBoolean done = new AtomicBoolean();
    Thread client =
        Thread.ofVirtual()
            .start(() -> {
              while (!done.get()) {
                JsonResponse response = search("copied");
                if (!isComplete(response)) {
                  failures.add(response.toString());
                }
                searches.incrementAndGet();
              }
            });
    try {
      for (int i = 0; i < MOVES; i++) {
        move("copied");
        long seen = searches.get();
        Await.untilValue("more searches", searches::get, count -> count > seen + 20);
      }
    } finally {
      done.set(true);
      client.join();
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void findAShardWithOneCopyWhereItIs() {
    List<Long> delaysMillis = new ArrayList<>();
    for (int i = 0; i < MOVES; i++) {
      isComplete(search("single"));
      move("single");
      long moved = System.nanoTime();
      Await.untilValue("hits", () -> search("single"), ShardMovesIT::isComplete);
      delaysMillis.add((System.nanoTime() - moved) / 1_000_000);
    }
    System.out.println("from a shard's move to the first right search, ms: " + delaysMillis);
  }

  /** All primaries of a node at once move to the others, while bulks have parts for them. */
  @Test
  void writeEachDocumentOnceWhilePrimariesMove() throws Exception {
    nodes
        .rest()
        .send(
            "PUT",
            "/moved?wait_for_active_shards=all",
            "{\"settings\":{\"number_of_shards\":9,\"number_of_replicas\":0}}")
        .orThrow();
    BulkWriteLoad load = BulkWriteLoad.start(bed, "moved");
    for (DataNode left : nodes.nodes()) {
      load.awaitMore(100);
      nodes
          .rest()
          .send(
              "PUT",
              "/moved/_settings",
              "{\"index.routing.allocation.exclude._name\":\"" + left.name() + "\"}")
          .orThrow();
      Await.untilValue(
          "shards elsewhere",
          () -> owners(nodes.rest(), "moved", false),
          owners -> owners.size() == 9 && !owners.contains(left.id()));
    }
    load.awaitMore(100);
    load.stop();
    assertThat(load.failedBulks()).isEmpty();
    assertThat(load.failedItems()).isEmpty();
    assertThat(load.readDocuments(nodes.rest())).isEqualTo(load.acknowledgedWrites());
  }

  private static JsonResponse search(String index) {
    return JsonResponse.of(bed.rest().send("POST", "/" + index + "/_search", "{\"size\": 1}"));
  }

  private static boolean isComplete(JsonResponse response) {
    return response.status() == 200
        && response.number("_shards.failed") == 0
        && response.number("hits.total.value") == DOCUMENTS;
  }

  /** Moves a copy to a node without one, and waits until that node has it. */
  private static void move(String index) {
    List<String> owners = owners(nodes.rest(), index, false);
    DataNode target =
        nodes.nodes().stream()
            .filter(node -> !owners.contains(node.id()))
            .findFirst()
            .orElseThrow();
    nodes
        .rest()
        .send(
            "POST",
            "/_cluster/reroute?metric=none",
            """
            {"commands":[{"move":{"index":"%s","shard":0,"from_node":"%s","to_node":"%s"}}]}
            """
                .formatted(index, owners.getFirst(), target.id()))
        .orThrow();
    try (RestClient rest = new RestClient(target.httpUri())) {
      Await.untilValue(
          "the shard's new node",
          () -> owners(rest, index, true),
          now -> now.contains(target.id()));
    }
  }

  /**
   * Returns the nodes with an active copy.
   *
   * @param local as the asked node knows them; otherwise as the cluster manager does
   */
  private static List<String> owners(RestClient rest, String index, boolean local) {
    String body =
        Objects.requireNonNull(
            rest.send(
                    "GET",
                    "/_cluster/state/routing_table/"
                        + index
                        + "?local="
                        + local
                        + "&filter_path=**.shards.*.state,**.shards.*.node")
                .orThrow()
                .body());
    Matcher active = ACTIVE.matcher(body);
    List<String> owners = new ArrayList<>();
    while (active.find()) {
      owners.add(active.group(1));
    }
    return owners;
  }
}
