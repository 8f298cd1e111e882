package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes that die, freeze and return under load. Each test leaves the cluster with all its nodes
 * running and green.
 */
@Drawn(oneIn = 6)
class NodeFaultsIT {
  private static final int DOCUMENTS = 300;

  /** A frozen node is detected within seconds. */
  @RegisterExtension
  private static final FaultyNodeTestBed faultyCluster =
      new FaultyNodeTestBed(
              "weir-dying",
              node ->
                  node.withPlugin(NodePlugin.FAULTS)
                      .withSetting("search.keep_alive_interval", "1s")
                      .withSetting("point_in_time.init.keep_alive", "5s")
                      .withSetting("cluster.fault_detection.follower_check.interval", "500ms")
                      .withSetting("cluster.fault_detection.follower_check.timeout", "1s")
                      .withSetting("cluster.publish.timeout", "3s"),
              "bulk: {streaming: {threshold: 64kb, section-bytes: 64kb, max-buffered-bytes: 1mb}}")
          .with("whole", 2, 1, DOCUMENTS);

  /** Ordinary bulks, streaming bulks, and small merged ones; a primary is on the faulty node. */
  @Test
  void tellsTheTruthAboutEveryItemWhileANodeDies() throws Exception {
    faultyCluster.create("written", 4, 1, "");
    faultyCluster.create("streamed", 2, 1, "");
    DataNode victim = faultyCluster.faultyNode();
    faultyCluster.createOn(victim, "merged", 1);
    try (TestBed merging =
        TestBed.withSections(
            faultyCluster.nodes().seeds(),
            "event-loops: 1",
            "bulk: {merge: {indices: [merged], max-delay: 20ms}}")) {
      BulkWriteLoad load = BulkWriteLoad.start(faultyCluster.testBed(), "written");
      BulkWriteLoad streamed =
          BulkWriteLoad.start(faultyCluster.testBed(), "streamed", BulkWriteLoad.Kind.LARGE);
      BulkWriteLoad together = BulkWriteLoad.start(merging, "merged");
      try {
        load.awaitMore(300);
        streamed.awaitMore(60);
        together.awaitMore(300);
        Await.untilValue(
            "parts of bulks that went together",
            () ->
                JsonResponse.of(merging.admin().send("GET", "/stats"))
                    .number("bulk.merged_shard_requests"),
            merged -> merged > 0);
        victim.kill();
        load.awaitMore(600);
        streamed.awaitMore(120);
        together.awaitMore(600);
      } finally {
        try {
          load.stop();
          streamed.stop();
          together.stop();
        } finally {
          victim.start();
          faultyCluster.nodes().awaitGreen();
        }
      }
      assertTruth(load);
      assertTruth(streamed);
      assertTruth(together);
      assertThat(
              JsonResponse.of(faultyCluster.admin().send("GET", "/stats"))
                  .number("bulk.streamed_bulks"))
          .isGreaterThanOrEqualTo(18);
      merging.assertNothingHeld();
    }
  }

  /** Every acknowledged document exists once; every other one has an error that says why. */
  private static void assertTruth(BulkWriteLoad load) {
    Map<Long, BulkWriteLoad.Written> found = load.readDocuments(faultyCluster.nodes().rest());
    assertThat(found).containsAllEntriesOf(load.acknowledgedWrites());
    for (Map<String, Object> item : load.failedItems()) {
      JsonResponse told = new JsonResponse(200, item);
      assertThat(told.number("status")).isGreaterThanOrEqualTo(400);
      assertThat(told.text("error.type")).as("type of %s", item).isNotEqualTo("null");
      assertThat(told.text("error.reason")).as("reason of %s", item).isNotEqualTo("null");
    }
    for (RestReply bulk : load.failedBulks()) {
      JsonResponse.of(bulk).reasonOfError();
    }
  }

  @Test
  void searchesGoOnWhileANodeDiesAndComesBack() throws Exception {
    DataNode victim = faultyCluster.faultyNode();
    SearchLoad load = SearchLoad.start(faultyCluster.testBed(), "whole", DOCUMENTS);
    List<RestReply> lessThanWhole;
    try {
      load.awaitMore(50);
      victim.kill();
      load.awaitMore(200);
    } finally {
      victim.start();
      faultyCluster.nodes().awaitGreen();
      load.awaitMore(50);
      lessThanWhole = load.stop();
    }
    assertThat(lessThanWhole).isEmpty();
  }

  @Test
  void answersFromOtherCopiesWhileANodeIsFrozenAndHonestlyWithoutAny() throws Exception {
    DataNode victim = faultyCluster.faultyNode();
    // a test before may have restarted all nodes: until one is probed, requests pass through
    Await.untilValue(
        "who authorizes",
        () ->
            JsonResponse.of(faultyCluster.admin().send("GET", "/readyz"))
                .at("authorization.main.mode"),
        "none"::equals);
    faultyCluster.create(
        "lonely", 1, 0, ", \"index.routing.allocation.require._name\": \"" + victim.name() + '"');
    faultyCluster.fill("lonely", DOCUMENTS);
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      victim.freeze();
      List<CompletableFuture<RestReply>> others =
          IntStream.range(0, 20)
              .mapToObj(i -> CompletableFuture.supplyAsync(() -> search("whole"), clients))
              .toList();
      List<CompletableFuture<RestReply>> lonely =
          IntStream.range(0, 4)
              .mapToObj(i -> CompletableFuture.supplyAsync(() -> search("lonely,whole"), clients))
              .toList();

      for (CompletableFuture<RestReply> search : others) {
        JsonResponse answer = JsonResponse.of(search.join().orThrow());
        assertThat(answer.number("_shards.failed")).as("%s", answer).isZero();
        assertThat(answer.number("hits.total.value")).isEqualTo(DOCUMENTS);
      }
      for (CompletableFuture<RestReply> search : lonely) {
        JsonResponse answer = JsonResponse.of(search.join().orThrow());
        // a node's error for a shard without an active copy
        assertThat(answer.number("_shards.total")).isEqualTo(3);
        assertThat(answer.number("_shards.successful")).as("%s", answer).isEqualTo(2);
        assertThat(answer.number("hits.total.value")).isEqualTo(DOCUMENTS);
      }
      JsonResponse alone = JsonResponse.of(search("lonely"));
      assertThat(alone.status()).isEqualTo(503);
      assertThat(alone.reasonOfError()).isEqualTo("all shards failed");
    } finally {
      victim.resume();
      faultyCluster.nodes().awaitNodes(3);
      // a copy that its node was still closing on its return is looked for a minute later
      Await.untilValue(
          "green, after asking for lost copies again",
          () -> {
            faultyCluster.nodes().rest().send("POST", "/_cluster/reroute?retry_failed=true");
            return JsonResponse.of(faultyCluster.nodes().rest().send("GET", "/_cluster/health"));
          },
          health -> health.text("status").equals("green"));
    }
    Await.untilValue(
        "documents of all copies",
        () -> JsonResponse.of(search("lonely,whole")),
        answer ->
            answer.status() == 200
                && answer.number("_shards.failed") == 0
                && answer.number("hits.total.value") == 2 * DOCUMENTS);
  }

  private static RestReply search(String index) {
    return faultyCluster
        .rest()
        .send("POST", "/" + index + "/_search", "{\"size\": 1, \"sort\": [\"n\"]}");
  }

  @Test
  void reportTheMissingClusterAndRecover() throws Exception {
    faultyCluster.nodes().nodes().forEach(DataNode::kill);
    try (TestBed late = TestBed.startWithoutWaiting(faultyCluster.nodes().seeds(), "")) {
      for (TestBed each : List.of(faultyCluster.testBed(), late)) {
        Await.untilValue(
            "readiness", () -> each.admin().send("GET", "/readyz"), reply -> reply.status() == 503);
        assertThat(each.admin().send("GET", "/livez").status()).isEqualTo(200);
        for (String path : List.of("/whole/_search", "/whole/_doc/1", "/_cat/indices", "/")) {
          JsonResponse answer = JsonResponse.of(each.rest().send("GET", path));
          assertThat(answer.status()).as("%s: %s", path, answer).isEqualTo(503);
          assertThat(answer.reasonOfError()).as(path).isNotEmpty();
        }
      }
      String seed = faultyCluster.nodes().seeds().getFirst();
      assertThat(JsonResponse.of(late.rest().send("GET", "/whole/_search")).reasonOfError())
          .contains("/readyz of the admin port")
          .doesNotContain(seed);
      assertThat(late.admin().send("GET", "/readyz").body()).contains(seed);
      startWhatIsDown();
      for (TestBed each : List.of(faultyCluster.testBed(), late)) {
        Await.untilValue(
            "a search",
            () -> each.rest().send("GET", "/whole/_search?size=0"),
            reply -> reply.status() == 200 && reply.body().contains("\"failed\":0"));
        Await.untilValue(
            "readiness", () -> each.admin().send("GET", "/readyz"), reply -> reply.status() == 200);
      }
    }
  }

  /** Nothing leaks for any events of clients and nodes. */
  @ParameterizedTest(name = "a node cuts connections: {0}")
  @ValueSource(booleans = {false, true})
  void returnToZeroUnderRandomFaults(boolean cutting) throws Exception {
    long seed = TestSeed.random(NodeFaultsIT.class).nextLong();
    faultyCluster.create("trouble", 2, 1, "");
    RestClient nodes = faultyCluster.nodes().rest();
    nodes.bulk("/trouble/_bulk", RandomRequests.documents().getBytes(UTF_8)).orThrow();
    // for an interrupted response only its node knows the context that it opened
    keepContexts(cutting ? "\"10s\"" : "null");
    try (TestBed bed =
        TestBed.withSections(faultyCluster.nodes().seeds(), FaultyClientLoad.POLICY)) {
      makeTrouble(bed, cutting, new SplittableRandom(seed));
      LeakChecks.assertGaugesZero(bed);
      bed.assertNothingHeld();
      Await.untilValue(
          "searches on nodes",
          () -> LeakChecks.runningSearches(faultyCluster.nodes()),
          String::isEmpty);
      // except for contexts of interrupted requests, which expire by themselves
      nodes.send("DELETE", "/_search/scroll/_all");
      nodes.send("DELETE", "/_search/point_in_time/_all");
      LeakChecks.assertNone(bed, faultyCluster.nodes());
      nodes.send("POST", "/trouble/_refresh").orThrow();
      String search = "{\"query\":{\"range\":{\"n\":{\"lt\":150}}},\"sort\":[\"n\"],\"size\":5}";
      assertThat(withoutTook(bed.rest().send("POST", "/trouble/_search", search)))
          .isEqualTo(withoutTook(nodes.send("POST", "/trouble/_search", search)));
    } finally {
      keepContexts("null");
      nodes.send("DELETE", "/trouble").orThrow();
    }
  }

  /** Runs until every event has occurred several times. */
  private static void makeTrouble(TestBed bed, boolean cutting, SplittableRandom random)
      throws InterruptedException {
    FaultyClientLoad load = FaultyClientLoad.start(bed, "trouble", random.split());
    try (FlakyNode flaky = FlakyNode.start(faultyCluster.faultyNode(), cutting, random.split())) {
      Await.untilValue(
          "trouble that has not come about yet",
          () -> {
            flaky.assertRunning();
            return load.findMissing(cutting);
          },
          none -> none.isEmpty() || load.failed());
    } finally {
      load.stop();
      faultyCluster.nodes().awaitGreen();
    }
  }

  private static void keepContexts(String time) {
    String settings = "{\"transient\":{\"search.default_keep_alive\":" + time + "}}";
    faultyCluster.nodes().rest().send("PUT", "/_cluster/settings", settings).orThrow();
  }

  private static Map<String, Object> withoutTook(RestReply reply) {
    Map<String, Object> body = new HashMap<>(JsonResponse.of(reply.orThrow()).body());
    body.remove("took");
    return body;
  }

  private static void startWhatIsDown() {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      faultyCluster.nodes().nodes().stream()
          .filter(node -> !node.isAlive())
          .forEach(node -> threads.execute(node::start));
    }
    faultyCluster.nodes().awaitGreen();
  }
}
