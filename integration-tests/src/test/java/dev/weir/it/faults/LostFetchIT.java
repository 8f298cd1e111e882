package dev.weir.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node that is lost between the query and the fetch of a search, with the search's context. */
class LostFetchIT {
  private static final int DOCUMENTS = 100;
  private static final int SHARDS = 2;

  /** Fetches from every shard. */
  private static final String BODY = "{\"size\": " + DOCUMENTS + ", \"sort\": [\"n\"]}";

  /** A second request would take the search away from the node that is to be lost. */
  @RegisterExtension
  private static final FaultyNodeTestBed faultyCluster =
      new FaultyNodeTestBed(
              "weir-lost",
              node -> node.withPlugin(NodePlugin.FAULTS),
              // the nodes count searches, so none may be repeated or sent to warm a copy
              "routing: {hedging: {enabled: false}}\nsearch: {warm-up: {enabled: false}}")
          .with("all", SHARDS, 2, DOCUMENTS);

  private static RestReply search(String parameters, String body) {
    return faultyCluster.rest().send("POST", "/all/_search?" + parameters, body);
  }

  private static void assertWhole(RestReply reply, long successful) {
    JsonResponse answer = JsonResponse.of(reply.orThrow());
    assertThat(answer.number("_shards.failed")).as("%s", reply).isZero();
    assertThat(answer.number("_shards.successful")).as("%s", reply).isEqualTo(successful);
    assertThat(answer.number("hits.total.value")).isEqualTo(DOCUMENTS);
    assertThat(answer.objects("hits.hits")).hasSize(DOCUMENTS);
  }

  /** Waits until the gateway reaches these nodes, every one of which has all the shards. */
  private static void awaitReached(List<DataNode> nodes) {
    for (DataNode node : nodes) {
      Await.untilValue(
          "a search on " + node.name() + " alone",
          () -> JsonResponse.of(search("preference=_only_nodes:" + node.id(), BODY)),
          LostFetchIT::isWhole);
    }
  }

  private static boolean isWhole(JsonResponse answer) {
    return answer.status() == 200 && answer.number("_shards.failed") == 0;
  }

  private static String preferring(DataNode node) {
    return "preference=_prefer_nodes:" + node.id();
  }

  private static long restarts(String reason) {
    JsonResponse page = JsonResponse.of(faultyCluster.admin().send("GET", "/routing").orThrow());
    return page.at("hedging.restarts." + reason) instanceof Number number ? number.longValue() : 0;
  }

  private static void fetches(RestClient node, String how) {
    node.send("PUT", "/_weir_faults?fetches=" + how).orThrow();
  }

  @ParameterizedTest
  @CsvSource({"ignore-request, context-lost", "close-connection, connection-lost"})
  void answersWholeFromOtherCopies(String how, String reason) {
    DataNode victim = faultyCluster.faultyNode();
    long before = restarts(reason);
    try (RestClient direct = new RestClient(victim.httpUri())) {
      long unfetched = FaultyNodeTestBed.faults(direct, "unfetched");
      fetches(direct, how);
      try {
        // Again while the gateway has no connection to it yet, so that another node is asked.
        Await.untilValue(
            "fetches that were lost",
            () -> {
              assertWhole(search(preferring(victim), BODY), SHARDS);
              return FaultyNodeTestBed.faults(direct, "unfetched");
            },
            now -> now > unfetched);
      } finally {
        fetches(direct, "pass");
      }
    }
    assertThat(restarts(reason)).isGreaterThan(before);
  }

  @Test
  void explainsBothAttempts() {
    DataNode victim = faultyCluster.faultyNode();
    awaitReached(List.of(victim));
    List<JsonResponse> answers = new ArrayList<>();
    try (RestClient direct = new RestClient(victim.httpUri());
        HttpClient client = HttpClient.newHttpClient()) {
      long unfetched = FaultyNodeTestBed.faults(direct, "unfetched");
      fetches(direct, "ignore-request");
      try {
        Await.untilValue(
            "fetches that were lost",
            () -> {
              answers.add(explained(client, victim));
              return FaultyNodeTestBed.faults(direct, "unfetched");
            },
            now -> now > unfetched);
      } finally {
        fetches(direct, "pass");
      }
    }
    JsonResponse told = answers.getLast();
    assertAttempts(told, victim.name());
    String page = "/routing/explain?request=" + told.text("request_id");
    JsonResponse shown =
        JsonResponse.of(faultyCluster.testBed().admin().send("GET", page).orThrow());
    assertAttempts(shown, victim.id());
    assertThat(shown.objects("shards").subList(0, SHARDS)).extracting("winner").containsOnly("");
    assertThat(shown.objects("shards").subList(SHARDS, 2 * SHARDS))
        .extracting("winner")
        .doesNotContain("", victim.id());
  }

  /** The explanation of the selected copies that a client receives. */
  private static JsonResponse explained(HttpClient client, DataNode preferred) {
    URI search = faultyCluster.testBed().uri().resolve("/all/_search?" + preferring(preferred));
    HttpRequest request =
        HttpRequest.newBuilder(search)
            .method("POST", HttpRequest.BodyPublishers.ofString(BODY))
            .headers("Content-Type", "application/json", "X-Weir-Explain", "true")
            .timeout(Duration.ofMinutes(1))
            .build();
    HttpResponse<String> answer =
        client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join();
    assertWhole(new RestReply("a search", answer.statusCode(), answer.body()), SHARDS);
    return JsonResponse.of(200, answer.headers().firstValue("X-Weir-Explain").orElseThrow());
  }

  /** Every shard stands there twice: its answer was lost with this node, then another counted. */
  private static void assertAttempts(JsonResponse told, String lost) {
    List<Map<String, Object>> shards = told.objects("shards");
    assertThat(shards).as("%s", told).hasSize(2 * SHARDS);
    List<String> first = new ArrayList<>();
    for (int i = 0; i < shards.size(); i++) {
      JsonResponse last =
          new JsonResponse(200, new JsonResponse(200, shards.get(i)).objects("calls").getLast());
      boolean there = last.text("node").equals(lost);
      assertThat(last.text("phase")).isEqualTo("query");
      if (i < SHARDS) {
        first.add(last.text("outcome"));
        assertThat(first.getLast()).as("%s", told).isEqualTo(there ? "node-lost" : "discarded");
      } else {
        assertThat(last.text("outcome")).as("%s", told).isEqualTo("answered");
        assertThat(there).as("%s", told).isFalse();
      }
    }
    assertThat(first).as("%s", told).contains("node-lost");
    assertThat(shards.subList(0, SHARDS))
        .extracting("shard")
        .isEqualTo(shards.subList(SHARDS, 2 * SHARDS).stream().map(s -> s.get("shard")).toList());
  }

  @Test
  void answersWholeWhenTheNodeDies() {
    DataNode victim = faultyCluster.faultyNode();
    long before = restarts("connection-lost");
    try (RestClient direct = new RestClient(victim.httpUri())) {
      fetches(direct, "halt-node");
    }
    try {
      Await.untilValue(
          "the node's death",
          () -> {
            assertWhole(search(preferring(victim), BODY), SHARDS);
            return victim.isAlive();
          },
          alive -> !alive);
    } finally {
      victim.kill();
      victim.start();
      faultyCluster.nodes().awaitGreen();
    }
    assertThat(restarts("connection-lost")).isGreaterThan(before);
  }

  @Test
  void reportANodesErrorWhenTheSecondAttemptFailsToo() {
    awaitReached(faultyCluster.nodes().nodes());
    List<RestClient> all =
        faultyCluster.nodes().nodes().stream().map(node -> new RestClient(node.httpUri())).toList();
    long before = restarts("context-lost");
    long queries = queries(all);
    try {
      all.forEach(node -> fetches(node, "ignore-request"));
      JsonResponse told = JsonResponse.of(search("", BODY));
      assertThat(queries(all) - queries).as("queries of two attempts").isEqualTo(2 * SHARDS);
      JsonResponse plain =
          JsonResponse.of(faultyCluster.nodes().rest().send("POST", "/all/_search", BODY));
      assertThat(told.status()).isEqualTo(plain.status());
      assertThat(told.reasonOfError()).isEqualTo(plain.reasonOfError());
      assertThat(told.text("error.type")).isEqualTo(plain.text("error.type"));
      assertThat(told.text("error.phase")).isEqualTo("fetch").isEqualTo(plain.text("error.phase"));
    } finally {
      all.forEach(node -> fetches(node, "pass"));
      all.forEach(RestClient::close);
    }
    assertThat(restarts("context-lost")).isEqualTo(before + 1);
    assertWhole(search("", BODY), SHARDS);
  }

  private static long queries(List<RestClient> nodes) {
    return nodes.stream().mapToLong(node -> FaultyNodeTestBed.faults(node, "searches")).sum();
  }

  /** The client does not know the scroll before its first page. */
  @Test
  void startsTheFirstPageOfAScrollOver() {
    DataNode victim = faultyCluster.faultyNode();
    awaitReached(List.of(victim));
    long before = restarts("context-lost");
    try (RestClient direct = new RestClient(victim.httpUri())) {
      long unfetched = FaultyNodeTestBed.faults(direct, "unfetched");
      fetches(direct, "ignore-request");
      try {
        Await.untilValue(
            "fetches that were lost",
            () -> {
              JsonResponse answer =
                  JsonResponse.of(search("scroll=1m&" + preferring(victim), BODY));
              boolean lost = FaultyNodeTestBed.faults(direct, "unfetched") > unfetched;
              assertThat(isWhole(answer)).as("%s", answer).isTrue();
              assertThat(answer.objects("hits.hits")).hasSize(DOCUMENTS);
              clear(answer.text("_scroll_id"));
              return lost;
            },
            lost -> lost);
      } finally {
        fetches(direct, "pass");
      }
    }
    assertThat(restarts("context-lost")).isEqualTo(before + 1);
  }

  private static void clear(String scroll) {
    faultyCluster
        .rest()
        .send("DELETE", "/_search/scroll", "{\"scroll_id\": \"" + scroll + "\"}")
        .orThrow();
  }
}
