package dev.weir.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A target response time under overload, with one of five nodes stressed: the gateway sets each
 * node's limit by Little's law, and responses take about the target. {@code ./weir bench overload
 * --only target} holds them to 20 %; the bounds here are wide, because a test shares its machine.
 */
class TargetResponseTimeIT {
  private static final String INDEX = "target-response-time";
  private static final int DOCUMENTS = 200;
  private static final int CLIENTS = 150;
  private static final int SETTLING_RESPONSES = 400;
  private static final int MEASURED_RESPONSES = 800;
  private static final double TARGET_MILLIS = 800;
  private static final int STRESSED = 2;

  /** Takes tens of milliseconds for all documents, far longer than the gateway's own work. */
  private static final String EXPENSIVE =
      "{\"query\":{\"script_score\":{\"query\":{\"match_all\":{}},\"script\":{\"source\":"
          + "\"double s = doc['n'].value; for (int i = 0; i < 6000; i++) { s = Math.sin(s + i) }"
          + " return s + 2\"}}}}";

  @Test
  void answerInTheTargetTimeWithAStressedNode() throws Exception {
    ClusterSpec spec =
        ClusterSpec.ofNodes(5)
            .withName("weir-target-time")
            .mapNodes(node -> node.withHeap("256m").withSetting("node.processors", "1"));
    try (DataNodeCluster cluster = DataNodeCluster.start(spec);
        TestBed bed =
            TestBed.withSections(
                cluster.seeds(),
                "admission: {queue: {target-response-time: %.0fms, max-wait: 20ms}}"
                    .formatted(TARGET_MILLIS))) {
      load(cluster);
      DataNode stressed = cluster.node(STRESSED);
      stressed.throttle(Duration.ofMillis(9), 2.0 / 3);
      SearchLoad searches = new SearchLoad(bed);
      try {
        searches.run();
      } finally {
        stressed.resume();
      }
      assertThat(searches.errors).isEmpty();
      assertThat(searches.rejections.get())
          .as("rejections: the nodes are overloaded")
          .isGreaterThan(CLIENTS);
      assertThat(searches.meanMillis())
          .as("mean response time")
          .isBetween(0.5 * TARGET_MILLIS, 1.6 * TARGET_MILLIS);
      assertThat(searches.limits).hasSize(5);
      double others =
          searches.limits.entrySet().stream()
              .filter(limit -> !limit.getKey().equals(stressed.name()))
              .mapToDouble(Map.Entry::getValue)
              .average()
              .orElseThrow();
      assertThat(searches.limits.get(stressed.name()))
          .as("the limit of the stressed node, beside " + others + " of the others")
          .isLessThan(others);
    }
  }

  private static void load(DataNodeCluster cluster) {
    cluster
        .rest()
        .send(
            "PUT",
            "/" + INDEX + "?wait_for_active_shards=all",
            "{\"settings\":{\"number_of_shards\":1,\"number_of_replicas\":4}}")
        .orThrow();
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < DOCUMENTS; n++) {
      lines.append("{\"index\":{}}\n{\"n\":").append(n).append("}\n");
    }
    cluster
        .rest()
        .bulk(
            "/" + INDEX + "/_bulk?refresh=true", lines.toString().getBytes(StandardCharsets.UTF_8))
        .orThrow();
  }

  /** Clients that search as fast as they get responses, and again a little after a rejection. */
  private static final class SearchLoad {
    private static final Duration AFTER_REJECTION = Duration.ofMillis(50);

    final AtomicInteger rejections = new AtomicInteger();
    final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    private final AtomicInteger responses = new AtomicInteger();
    private final ConcurrentLinkedQueue<Double> millis = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isDone = new AtomicBoolean();
    private final TestBed bed;
    Map<String, Double> limits = Map.of();

    SearchLoad(TestBed bed) {
      this.bed = bed;
    }

    void run() throws InterruptedException {
      List<Thread> clients = new ArrayList<>();
      try (HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
        for (int i = 0; i < CLIENTS; i++) {
          clients.add(Thread.ofVirtual().start(() -> searchUntilDone(http)));
        }
        for (Thread client : clients) {
          client.join();
        }
      }
    }

    double meanMillis() {
      return millis.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }

    private void searchUntilDone(HttpClient http) {
      HttpRequest search =
          HttpRequest.newBuilder(bed.uri().resolve("/" + INDEX + "/_search?request_cache=false"))
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(EXPENSIVE))
              .build();
      while (!isDone.get() && errors.isEmpty()) {
        try {
          long sentAt = System.nanoTime();
          HttpResponse<String> response = http.send(search, BodyHandlers.ofString());
          record(response, (System.nanoTime() - sentAt) / 1e6);
        } catch (IOException | InterruptedException e) {
          errors.add(e.toString());
        }
      }
    }

    private void record(HttpResponse<String> response, double tookMillis)
        throws InterruptedException {
      switch (response.statusCode()) {
        case 200 -> {
          int number = responses.incrementAndGet();
          if (number > SETTLING_RESPONSES && number <= SETTLING_RESPONSES + MEASURED_RESPONSES) {
            millis.add(tookMillis);
          }
          if (number == SETTLING_RESPONSES + MEASURED_RESPONSES) {
            limits = QueueLimits.of(bed);
            isDone.set(true);
          }
        }
        case 429 -> {
          rejections.incrementAndGet();
          Thread.sleep(AFTER_REJECTION);
        }
        default -> errors.add(response.body());
      }
    }
  }

  /** The limits of searches that {@code /stats} shows, by the name of the node. */
  private static final class QueueLimits {
    private QueueLimits() {}

    static Map<String, Double> of(TestBed bed) {
      JsonResponse stats = JsonResponse.of(bed.admin().send("GET", "/stats").orThrow());
      Map<String, Double> limits = new HashMap<>();
      for (Object row : (List<?>) Objects.requireNonNull(stats.at("queues.search.nodes"))) {
        Map<?, ?> node = (Map<?, ?>) row;
        limits.put(
            String.valueOf(node.get("name")),
            Double.parseDouble(String.valueOf(node.get("concurrency_limit"))));
      }
      return limits;
    }
  }
}
