package dev.weir.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A node that gets more than it can work on, here because it stands still: what is beyond its limit
 * waits in the gateway or is refused, and what was let in is answered. Closing the test bed insists
 * that nothing is left.
 */
class AdmissionDecisionIT {
  private static final String INDEX = "admission";
  private static final String BESIDE = "admission-beside";
  private static final int LIMIT = 4;
  private static final int PLACES = 8;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final DataNodeCluster cluster = SharedCluster.get();
  private DataNode victim = cluster.node(0);
  private DataNode other = cluster.node(1);

  @BeforeEach
  void load() {
    try (RestClient rest = new RestClient(cluster.node(0).httpUri())) {
      String manager = rest.send("GET", "/_cat/cluster_manager?h=node").orThrow().body().strip();
      List<DataNode> others =
          cluster.nodes().stream().filter(node -> !node.name().equals(manager)).toList();
      victim = others.getFirst();
      other = others.getLast();
      create(rest, INDEX, victim);
      create(rest, BESIDE, other);
    }
  }

  private static void create(RestClient rest, String index, DataNode on) {
    rest.send(
            "PUT",
            "/" + index,
            """
            {"settings": {"number_of_shards": 1, "number_of_replicas": 0,
              "index.routing.allocation.require._name": "%s"}}
            """
                .formatted(on.name()))
        .orThrow();
    rest.send("PUT", "/" + index + "/_doc/1?refresh=true", "{\"n\": 1}").orThrow();
  }

  private void hangUp() {
    victim.resume();
    client.shutdownNow();
    client.close();
  }

  @AfterEach
  void delete() {
    try (RestClient rest = new RestClient(other.httpUri())) {
      rest.send("DELETE", "/" + INDEX + "," + BESIDE).orThrow();
    }
  }

  private TestBed bed(String wait) {
    return TestBed.withSections(
        cluster.seeds(),
        "admission: {queue: {min-in-flight-per-node: %d, max-in-flight-per-node: %d, max-waiting: %d, %s}}"
            .formatted(LIMIT, LIMIT, PLACES, wait));
  }

  @Test
  void queueRequestsBeyondTheLimitAndRejectTheRest() throws Exception {
    try (TestBed bed = bed("max-wait: 10m");
        AutoCloseable over = this::hangUp) {
      assertThat(over).isNotNull();
      assertThat(bed.rest().send("GET", "/" + INDEX + "/_search").status()).isEqualTo(200);
      victim.freeze();
      List<CompletableFuture<HttpResponse<String>>> searches =
          fill(bed, "search", () -> send(bed, "/" + INDEX + "/_search"));
      for (int i = 0; i < PLACES; i++) {
        searches.add(send(bed, "/" + INDEX + "/_search"));
      }
      awaitWaiting(bed, "search", PLACES);
      assertThat(stats(bed).at("queues.search.waiting_by_tenant"))
          .as("without tenants each address has a share")
          .isEqualTo(Map.of("127.0.0.1", PLACES));

      HttpResponse<String> refused = send(bed, "/" + INDEX + "/_search").get();
      assertRefused(bed, refused, "queue-full");
      assertThat(refused.body())
          .contains("has " + LIMIT + " search calls in flight (limit " + LIMIT + ")");
      assertThat(bed.rest().send("GET", "/" + BESIDE + "/_search").status())
          .as("another node's work does not wait behind it")
          .isEqualTo(200);

      CompletableFuture<HttpResponse<String>> given = searches.removeLast();
      given.cancel(true);
      awaitWaiting(bed, "search", PLACES - 1);

      victim.resume();
      for (CompletableFuture<HttpResponse<String>> search : searches) {
        assertThat(search.get().statusCode()).as(search.get().body()).isEqualTo(200);
      }
      assertThat(stats(bed).number("queues.search.delayed_requests")).isEqualTo(PLACES - 1);
      assertThat(bed.admin().send("GET", "/metrics").body())
          .contains("weir_queue_rejections_total{class=\"search\"")
          .contains("weir_queue_concurrency_limit{class=\"search\"");
    }
  }

  @Test
  void boundTheRequestsOfARouteByItsPolicy() throws Exception {
    String few =
        """
        routes: [{name: few, indices: [%s], policy: few}]
        policies: {few: {max-in-flight: 1}}
        """
            .formatted(INDEX);
    try (TestBed bed = TestBed.withSections(cluster.seeds(), few);
        AutoCloseable over = this::hangUp) {
      assertThat(over).isNotNull();
      assertThat(bed.rest().send("GET", "/" + INDEX + "/_search").status()).isEqualTo(200);
      Await.untilValue(
          "the search has ended",
          () -> stats(bed),
          stats -> stats.number("requests.by_policy.few.in_flight") == 0);
      victim.freeze();
      CompletableFuture<HttpResponse<String>> first = send(bed, "/" + INDEX + "/_search");
      Map<String, Object> inFlight =
          Await.untilValue(
                  "one is in flight",
                  () -> stats(bed),
                  stats -> stats.number("requests.by_policy.few.in_flight") == 1)
              .body();
      assertThat(inFlight).isNotEmpty();
      HttpResponse<String> refused = send(bed, "/" + INDEX + "/_search").get();
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
      assertThat(refused.body())
          .contains("\"type\":\"rejected_execution_exception\"")
          .contains("too_many_requests_in_flight of policy few, got 1 in flight");
      assertThat(bed.rest().send("GET", "/" + BESIDE + "/_search").status()).isEqualTo(200);
      victim.resume();
      assertThat(first.get().statusCode()).isEqualTo(200);
      bed.assertNothingHeld();
      assertThat(bed.rest().send("GET", "/" + INDEX + "/_search").status()).isEqualTo(200);
      assertThat(stats(bed).number("requests.by_policy.few.rejections")).isOne();
      assertThat(bed.admin().send("GET", "/metrics").body())
          .contains("weir_policy_request_rejections_total{policy=\"few\"");
      bed.assertNothingHeld();
      assertThat(stats(bed).number("requests.by_policy.few.in_flight")).isZero();
    }
  }

  @Test
  void rejectAfterTheWaitTimeout() throws Exception {
    try (TestBed bed = bed("max-wait: 200ms");
        AutoCloseable over = this::hangUp) {
      assertThat(over).isNotNull();
      assertThat(bed.rest().send("GET", "/" + INDEX + "/_doc/1").status()).isEqualTo(200);
      victim.freeze();
      List<CompletableFuture<HttpResponse<String>>> gets =
          fill(bed, "get", () -> send(bed, "/" + INDEX + "/_doc/1"));
      gets.add(send(bed, "/" + INDEX + "/_doc/1"));
      gets.add(send(bed, "/" + INDEX + "/_doc/1"));
      List<HttpResponse<String>> refused =
          Await.untilValue(
              "refused after their time",
              () ->
                  gets.stream()
                      .filter(CompletableFuture::isDone)
                      .map(CompletableFuture::join)
                      .toList(),
              answers -> answers.size() == 2);
      for (HttpResponse<String> one : refused) {
        assertRefused(bed, one, "wait-timeout");
      }
      victim.resume();
      List<Integer> statuses = gets.stream().map(get -> get.join().statusCode()).sorted().toList();
      assertThat(statuses).containsExactly(200, 200, 200, 200, 429, 429);
    }
  }

  @Test
  void bulksWaitWholeForTheNodesOfTheirPrimaries() throws Exception {
    try (TestBed bed = bed("max-wait: 10m");
        AutoCloseable over = this::hangUp) {
      assertThat(over).isNotNull();
      String lines = "{\"index\": {\"_index\": \"%s\"}}\n{\"n\": 2}\n";
      String both = lines.formatted(INDEX) + lines.formatted(BESIDE);
      assertThat(bulk(bed, both).get().body()).contains("\"errors\":false");
      victim.freeze();
      List<CompletableFuture<HttpResponse<String>>> bulks =
          fill(bed, "write", () -> bulk(bed, both));
      bulks.add(bulk(bed, both));
      // what needs two nodes and has waited for a moment may find them a quarter over their limit
      Await.untilValue("one more", () -> inFlight(bed, "write"), calls -> calls == LIMIT * 5 / 4);
      for (int i = 0; i < PLACES; i++) {
        bulks.add(bulk(bed, both));
      }
      awaitWaiting(bed, "write", PLACES);
      assertRefused(bed, bulk(bed, both).get(), "queue-full");
      victim.resume();
      for (CompletableFuture<HttpResponse<String>> bulk : bulks) {
        assertThat(bulk.get().body()).contains("\"errors\":false");
      }
    }
  }

  /** Sends one after the other until the frozen node has as many as it may. */
  private List<CompletableFuture<HttpResponse<String>>> fill(
      TestBed bed, String kind, Supplier<CompletableFuture<HttpResponse<String>>> request) {
    List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();
    for (int i = 1; i <= LIMIT; i++) {
      long calls = i;
      sent.add(request.get());
      Await.untilValue(
          calls + " in flight", () -> inFlight(bed, kind), inFlight -> inFlight == calls);
    }
    return sent;
  }

  private long inFlight(TestBed bed, String kind) {
    return stats(bed).objects("queues." + kind + ".nodes").stream()
        .filter(node -> victim.name().equals(node.get("name")))
        .mapToLong(node -> Long.parseLong(String.valueOf(node.get("in_flight"))))
        .sum();
  }

  private void assertRefused(TestBed bed, HttpResponse<String> answer, String reason) {
    JsonResponse error = JsonResponse.of(answer.statusCode(), answer.body());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(429);
    assertThat(error.text("error.type")).isEqualTo("rejected_execution_exception");
    assertThat(error.reasonOfError()).startsWith("rejected by the gateway [" + reason + "]: node ");
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    String number = answer.headers().firstValue("X-Weir-Request-Id").orElseThrow();
    JsonResponse explained =
        JsonResponse.of(bed.admin().send("GET", "/routing/explain?request=" + number));
    assertThat(explained.objects("rejections").getFirst())
        .containsEntry("rejected_by", "queue")
        .containsEntry("reason_code", reason)
        .containsEntry("name", victim.name());
  }

  private CompletableFuture<HttpResponse<String>> send(TestBed bed, String path) {
    HttpRequest request = HttpRequest.newBuilder(uri(bed, path)).build();
    return client.sendAsync(request, BodyHandlers.ofString());
  }

  private CompletableFuture<HttpResponse<String>> bulk(TestBed bed, String lines) {
    HttpRequest request =
        HttpRequest.newBuilder(uri(bed, "/_bulk"))
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString(lines))
            .build();
    return client.sendAsync(request, BodyHandlers.ofString());
  }

  private static URI uri(TestBed bed, String path) {
    return bed.uri().resolve(path);
  }

  private static void awaitWaiting(TestBed bed, String kind, long requests) {
    Map<String, Object> body =
        Await.untilValue(
                requests + " wait",
                () -> stats(bed),
                stats -> stats.number("queues." + kind + ".waiting_requests") == requests)
            .body();
    assertThat(body).isNotEmpty();
  }

  private static JsonResponse stats(TestBed bed) {
    return JsonResponse.of(bed.admin().send("GET", "/stats").orThrow());
  }
}
