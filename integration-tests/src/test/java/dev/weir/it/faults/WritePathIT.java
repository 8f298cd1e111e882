package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Bulks while their indices change under them, and while a node has no room for them. */
class WritePathIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final Pattern CHANCE = Pattern.compile("\"(took|_seq_no)\":\\d+|path-[a-z]+");
  private static final int ROUNDS = 3;

  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed = TestBed.withSections(NODES.seeds(), "bulk: {retry: {max-retries: 100, max-backoff: 1s}}");
  }

  @AfterEach
  void deleteAll() {
    bed.assertNothingHeld();
    NODES.rest().send("DELETE", "/path-*").orThrow();
  }

  @AfterAll
  static void close() {
    bed.close();
  }

  private static RestReply node(String method, String path, String body) {
    return NODES.rest().send(method, path, body).orThrow();
  }

  private static RestReply get(RestClient node, String path) {
    return node.send("GET", path).orThrow();
  }

  private static void create(String index, int shards, String more) {
    node(
        "PUT",
        "/" + index,
        "{\"settings\": {\"number_of_shards\": %d, \"number_of_replicas\": 0 %s}}"
            .formatted(shards, more));
  }

  /** Every document was acknowledged, is there, and is there once, as its client was told. */
  private static void assertAllThere(BulkWriteLoad load) throws InterruptedException {
    load.stop();
    assertThat(load.failedBulks()).isEmpty();
    assertThat(load.failedItems()).isEmpty();
    assertThat(load.readDocuments(NODES.rest()))
        .containsExactlyInAnyOrderEntriesOf(load.acknowledgedWrites());
  }

  /** The name of the node that has a shard. */
  private static String holder(String index) {
    return get(NODES.rest(), "/_cat/shards/" + index + "?h=shard,node")
        .body()
        .lines()
        .filter(line -> line.startsWith("0"))
        .map(line -> line.trim().split("\\s+")[1])
        .findFirst()
        .orElseThrow();
  }

  @Test
  void loseAndDuplicateNothingWhileAPrimaryMoves() throws Exception {
    create("path-moved", 2, "");
    BulkWriteLoad load = BulkWriteLoad.start(bed, "path-moved");
    try {
      for (int round = 0; round < ROUNDS; round++) {
        load.awaitMore(40);
        String from = holder("path-moved");
        String to =
            NODES.nodes().stream()
                .map(DataNode::name)
                .filter(name -> !name.equals(from))
                .toList()
                .get(round % 2);
        node(
            "POST",
            "/_cluster/reroute",
            "{\"commands\": [{\"move\": {\"index\": \"path-moved\", \"shard\": 0, \"from_node\": \"%s\", \"to_node\": \"%s\"}}]}"
                .formatted(from, to));
        load.awaitMore(40);
        Await.untilValue("node of the shard", () -> holder("path-moved"), to::equals);
      }
    } finally {
      load.stop();
    }
    assertAllThere(load);
  }

  @Test
  void loseAndDuplicateNothingWhileAnAliasRollsOver() throws Exception {
    create("path-rolled-000001", 2, "");
    node("PUT", "/path-rolled-000001/_alias/path-rolled", "{\"is_write_index\": true}");
    BulkWriteLoad load = BulkWriteLoad.start(bed, "path-rolled");
    try {
      for (int round = 0; round < ROUNDS; round++) {
        load.awaitMore(40);
        RestClient by = round % 2 == 0 ? NODES.rest() : bed.rest();
        by.send("POST", "/path-rolled/_rollover").orThrow();
      }
      load.awaitMore(40);
    } finally {
      load.stop();
    }
    assertAllThere(load);
    RestReply indices = get(NODES.rest(), "/_cat/indices/path-rolled-*?h=index");
    assertThat(indices.body().lines()).hasSize(ROUNDS + 1);
  }

  @Test
  void loseAndDuplicateNothingWhileADataStreamRollsOver() throws Exception {
    node(
        "PUT",
        "/_index_template/path-stream",
        """
        {"index_patterns": ["path-stream"], "data_stream": {},
         "template": {"settings": {"number_of_shards": 2, "number_of_replicas": 0}}}
        """);
    try {
      BulkWriteLoad load = BulkWriteLoad.start(bed, "path-stream", BulkWriteLoad.Kind.APPENDED);
      try {
        for (int round = 0; round < ROUNDS; round++) {
          load.awaitMore(40);
          node("POST", "/path-stream/_rollover", "{}");
        }
        load.awaitMore(40);
      } finally {
        load.stop();
      }
      assertAllThere(load);
    } finally {
      NODES.rest().send("DELETE", "/_data_stream/path-stream").orThrow();
      NODES.rest().send("DELETE", "/_index_template/path-stream").orThrow();
    }
  }

  /** Documents of one bulk: each brings fields that the other bulks bring at the same time. */
  private static byte[] newFields(int bulk) {
    return IntStream.range(0, 20)
        .mapToObj(n -> {
          String fields =
              IntStream.range(0, 4)
                  .mapToObj(field -> "\"f%d_%d\": %d".formatted(n, field, bulk))
                  .collect(Collectors.joining(", "));
          return "{\"index\": {\"_id\": \"%d-%d\"}}\n{%s}\n".formatted(bulk, n, fields);
        })
        .collect(Collectors.joining())
        .getBytes(UTF_8);
  }

  /** The answers to bulks that were sent all at once, in their order. */
  private static List<String> allAtOnce(RestClient to, String index) {
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<String>> answers = new ArrayList<>();
      for (int bulk = 0; bulk < 6; bulk++) {
        byte[] body = newFields(bulk);
        answers.add(
            CompletableFuture.supplyAsync(
                () -> to.bulk("/" + index + "/_bulk", body).orThrow().body(), clients));
      }
      return answers.stream()
          .map(CompletableFuture::join)
          .map(body -> CHANCE.matcher(body).replaceAll("$1"))
          .toList();
    }
  }

  @Test
  void answerABurstOfNewFieldsLikeANode() {
    create("path-burst", 3, "");
    create("path-straight", 3, "");
    List<String> answers = allAtOnce(bed.rest(), "path-burst");
    assertThat(answers).isEqualTo(allAtOnce(NODES.rest(), "path-straight"));
    assertThat(answers).allMatch(answer -> answer.contains("\"errors\":false"));
    JsonResponse mapped = JsonResponse.of(get(NODES.rest(), "/path-burst/_mapping"));
    JsonResponse straight = JsonResponse.of(get(NODES.rest(), "/path-straight/_mapping"));
    assertThat(mapped.at("path-burst")).isEqualTo(straight.at("path-straight"));
  }

  private static byte[] large(String id, int bytes) {
    String text = "x".repeat(bytes);
    return "{\"create\": {\"_id\": \"%s\"}}\n{\"text\": \"%s\"}\n"
        .formatted(id, text)
        .getBytes(UTF_8);
  }

  private static long pressure(RestClient node) {
    RestReply stats = get(node, "/_nodes/_local/stats/indexing_pressure?filter_path=**.current");
    JsonResponse json = JsonResponse.of(stats);
    Map<?, ?> nodes = (Map<?, ?>) Objects.requireNonNull(json.at("nodes"));
    String id = String.valueOf(nodes.keySet().iterator().next());
    String current = ".indexing_pressure.memory.current.combined_coordinating_and_primary_in_bytes";
    return json.number("nodes." + id + current);
  }

  private static boolean refreshed(CompletableFuture<RestReply> bulk) {
    node("POST", "/path-small/_refresh", "{}");
    return bulk.isDone();
  }

  /**
   * The node takes 200 KB at once. A bulk of 150 KB that waits for a refresh keeps it from taking
   * another one, for as long as the test wants.
   */
  @Test
  void retryWritesThatANodeRejected() {
    DataNode small =
        NODES.addNode(
            NodeSpec.of("small")
                .withRoles("data")
                .withHeap("256m")
                .withSetting("indexing_pressure.memory.limit", "200kb"));
    try (RestClient straight = new RestClient(small.httpUri());
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      create(
          "path-small",
          1,
          ", \"refresh_interval\": \"-1\", \"routing.allocation.require._name\": \"small\"");
      straight.send("GET", "/_cluster/health/path-small?wait_for_status=green").orThrow();
      CompletableFuture<RestReply> first =
          CompletableFuture.supplyAsync(
              () -> straight.bulk("/path-small/_bulk?refresh=wait_for", large("a", 150_000)),
              clients);
      Await.untilValue(
          "bytes that the node has", () -> pressure(straight), bytes -> bytes > 150_000);
      assertThat(straight.bulk("/path-small/_bulk", large("b", 100_000)).status()).isEqualTo(429);
      CompletableFuture<RestReply> second =
          CompletableFuture.supplyAsync(
              () -> bed.rest().bulk("/path-small/_bulk", large("c", 100_000)), clients);
      Await.untilValue(
          "pieces of bulks that were sent again",
          () -> JsonResponse.of(bed.admin().send("GET", "/stats")).number("bulk.retries.rejected"),
          again -> again > 0);
      assertThat(second).isNotDone();
      // Again and again: what is counted already may not be written yet, and then waits for the
      // next.
      Await.untilValue(
          "end of the bulk that waits for a refresh", () -> refreshed(first), done -> done);
      for (RestReply answer : List.of(first.join(), second.join())) {
        assertThat(answer.body()).contains("\"errors\":false", "\"status\":201");
      }
      assertThat(bed.rest().send("GET", "/path-small/_doc/c").body()).contains("\"_version\":1,");
    } finally {
      NODES.rest().send("DELETE", "/path-small").orThrow();
      NODES.removeNode(small);
    }
  }
}
