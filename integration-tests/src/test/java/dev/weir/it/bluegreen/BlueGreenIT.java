package dev.weir.it.bluegreen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Traffic moves from blue to green and back while clients read, and green is killed meanwhile. */
@Drawn(oneIn = 2)
class BlueGreenIT {
  private static final String INDEX = "moved";
  private static final int DOCUMENTS = 200;

  @BeforeEach
  void fill() {
    TwoClusters.createOnBoth(INDEX);
    for (DataNodeCluster cluster : List.of(TwoClusters.blue(), TwoClusters.green())) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < DOCUMENTS; i++) {
        lines.append("{\"index\":{\"_id\":\"").append(i).append("\"}}\n{\"n\":").append(i);
        lines.append("}\n");
      }
      cluster
          .rest()
          .bulk(
              "/" + INDEX + "/_bulk?refresh=true",
              lines.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8))
          .orThrow();
    }
  }

  @AfterEach
  void empty() {
    TwoClusters.deleteOnBoth(INDEX);
  }

  /** Clients that read continuously, and the wrong responses that they got. */
  private static final class Readers implements AutoCloseable {
    private static final int CLIENTS = 8;

    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger answered = new AtomicInteger();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

    Readers(TestBed bed) {
      for (int i = 0; i < CLIENTS; i++) {
        int number = i;
        clients.execute(() -> read(bed, number));
      }
    }

    private void read(TestBed bed, int number) {
      for (int i = number; !over.get(); i++) {
        int n = i % DOCUMENTS;
        RestReply reply =
            switch (i % 5) {
              case 0 -> bed.rest().send("GET", "/" + INDEX + "/_search?size=3&q=n:" + n);
              case 1 -> bed.rest().send("GET", "/" + INDEX + "/_doc/" + n);
              case 2 -> bed.rest().send("GET", "/" + INDEX + "/_count");
              case 3 -> bed.rest().send("GET", "/" + INDEX + "/_settings"); // passes through
              default -> // the same with a body
                  bed.rest()
                      .send(
                          "POST",
                          "/" + INDEX + "/_search/template",
                          "{\"source\":{\"query\":{\"term\":{\"n\":" + n + "}}}}");
            };
        boolean whole =
            reply.status() == 200
                && !reply.body().contains("\"failures\"")
                && (i % 5 % 4 != 0 || reply.body().contains("\"value\":1"));
        if (!whole) {
          wrong.add(reply.toString());
        }
        answered.incrementAndGet();
      }
    }

    void awaitMore(int count) {
      int from = answered.get();
      Await.untilValue("answers", answered::get, now -> now >= from + count);
    }

    @Override
    public void close() {
      over.set(true);
      clients.close();
    }
  }

  @Test
  void failNoReadWhileTrafficMovesAndAClusterDies() {
    String traffic =
        "traffic: {weights: {blue: 1}, rollback: {target-cluster: blue, min-requests: 1000000}}";
    try (TestBed bed = TwoClusters.gateway(traffic)) {
      JsonResponse begun =
          JsonResponse.of(bed.rest().send("POST", "/moved/_search?scroll=2m&size=20&sort=n"));
      String pit =
          JsonResponse.of(bed.rest().send("POST", "/moved/_search/point_in_time?keep_alive=2m"))
              .text("pit_id");
      Set<Object> seen = new HashSet<>();
      collect(begun, seen);
      DataNode green = TwoClusters.green().node(0);
      try (Readers readers = new Readers(bed)) {
        readers.awaitMore(50);
        bed.admin().send("POST", "/traffic/cutover?to=green").orThrow();
        readers.awaitMore(100);
        assertThat(requests(bed, "green")).isPositive();
        seen.addAll(scrolled(bed, begun.text("_scroll_id"), 3));
        assertThat(pitHits(bed, pit)).isEqualTo(DOCUMENTS);
        green.kill();
        readers.awaitMore(200);
        seen.addAll(scrolled(bed, begun.text("_scroll_id"), 3));
        assertThat(pitHits(bed, pit)).isEqualTo(DOCUMENTS);
        bed.admin().send("POST", "/traffic/cutover?to=blue").orThrow();
        green.start();
        readers.awaitMore(100);
        seen.addAll(scrolled(bed, begun.text("_scroll_id"), 3));
        assertThat(readers.wrong).isEmpty();
      } finally {
        if (!green.isAlive()) {
          green.start();
        }
        TwoClusters.green().awaitNodes(1);
        TwoClusters.green().awaitGreen();
      }
      assertThat(seen).as("documents of the scroll").hasSize(DOCUMENTS);
      bed.rest()
          .send("DELETE", "/_search/point_in_time", "{\"pit_id\":[\"" + pit + "\"]}")
          .orThrow();
      TwoClusters.awaitReached(bed, 2);
    }
  }

  private static void collect(JsonResponse page, Set<Object> ids) {
    page.objects("hits.hits").forEach(hit -> ids.add(hit.get("_id")));
  }

  private static Set<Object> scrolled(TestBed bed, String scroll, int pages) {
    Set<Object> ids = new HashSet<>();
    for (int i = 0; i < pages; i++) {
      String body = "{\"scroll\":\"2m\",\"scroll_id\":\"" + scroll + "\"}";
      collect(JsonResponse.of(bed.rest().send("POST", "/_search/scroll", body).orThrow()), ids);
    }
    return ids;
  }

  private static long pitHits(TestBed bed, String pit) {
    String body = "{\"size\":0,\"track_total_hits\":true,\"pit\":{\"id\":\"" + pit + "\"}}";
    return JsonResponse.of(bed.rest().send("POST", "/_search", body).orThrow())
        .number("hits.total.value");
  }

  private static long requests(TestBed bed, String cluster) {
    for (Map<String, Object> row :
        JsonResponse.of(bed.admin().send("GET", "/traffic").orThrow()).objects("clusters")) {
      if (cluster.equals(row.get("name")) && row.get("requests") instanceof Number count) {
        return count.longValue();
      }
    }
    return -1;
  }

  @Test
  void rollBackAutomaticallyAfterTooManyErrors() {
    String traffic =
        "traffic: {weights: {green: 1}, rollback: {target-cluster: blue, min-requests: 5,"
            + " max-error-percent: 10}}";
    try (TestBed bed = TwoClusters.gateway(traffic)) {
      DataNode green = TwoClusters.green().node(0);
      green.kill();
      try {
        String write = "{\"n\":1}";
        Await.untilValue(
            "status of a write",
            () -> bed.rest().send("PUT", "/moved/_doc/new?timeout=500ms", write).status(),
            status -> status == 201);
        JsonResponse shown = JsonResponse.of(bed.admin().send("GET", "/traffic").orThrow());
        assertThat(shown.number("rollbacks")).isOne();
        assertThat(shown.objects("overrides").getFirst())
            .containsEntry("changed_by", "rollback")
            .containsEntry("weights", Map.of("blue", 1.0));
      } finally {
        green.start();
        TwoClusters.green().awaitNodes(1);
        TwoClusters.green().awaitGreen();
      }
      TwoClusters.awaitReached(bed, 2);
    }
  }
}
