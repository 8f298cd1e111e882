package dev.weir.it.bluegreen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cut-over releases what a dead cluster keeps, and nothing of a slow one. */
@Drawn(oneIn = 3)
class CutoverIT {
  private static final String INDEX = "cutover";
  private static final String RELEASED = "released_request_exception";
  private static final int WRITERS = 8;
  private static final int READERS = 4;
  private static final int PASSING_THROUGH = 1;

  @TempDir private Path folder;

  @BeforeEach
  void create() {
    TwoClusters.createOnBoth(INDEX);
  }

  @AfterEach
  void delete() {
    TwoClusters.blue().restore();
    TwoClusters.deleteOnBoth(INDEX);
  }

  private String traffic() {
    return "traffic: {weights: {blue: 1}, dual-writes: {target-cluster: green, timeout: 5m, repair-log-directory: \"%s\"}}"
        .formatted(folder.resolve("repair"));
  }

  /** Clients that write documents of their own, or read, each one request after the other. */
  private static final class Clients {
    private final TestBed bed;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger lastId = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger answeredReads = new AtomicInteger();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final Queue<RestReply> unknown = new ConcurrentLinkedQueue<>();
    private final Queue<RestReply> wrong = new ConcurrentLinkedQueue<>();

    Clients(TestBed bed) {
      this.bed = bed;
      for (int i = 0; i < WRITERS + READERS; i++) {
        int number = i;
        threads.execute(() -> {
          while (!over.get()) {
            try {
              if (number < WRITERS) {
                write(number);
              } else {
                read(number);
              }
            } catch (UncheckedIOException unanswered) {
              wrong.add(new RestReply("client " + number, 0, unanswered.toString()));
            }
            answered.incrementAndGet();
          }
        });
      }
    }

    private void write(int client) {
      String id = "d" + lastId.incrementAndGet();
      String path = "/" + INDEX + "/";
      String document = "{\"by\":" + client + "}";
      RestReply reply =
          switch (client % 4) {
            case 0 ->
                bed.rest()
                    .bulk(
                        path + "_bulk",
                        ("{\"index\":{\"_id\":\"" + id + "\"}}\n" + document + "\n")
                            .getBytes(StandardCharsets.UTF_8));
            case 1 ->
                bed.rest()
                    .send(
                        "POST",
                        path + "_update/" + id,
                        "{\"doc_as_upsert\":true,\"doc\":" + document + "}");
            default -> bed.rest().send("PUT", path + "_doc/" + id, document);
          };
      if (reply.body().contains(RELEASED)) {
        unknown.add(reply);
        boolean bulk = client % 4 == 0;
        if (reply.status() != (bulk ? 200 : 408) || !reply.body().contains("\"status\":408")) {
          wrong.add(reply);
        }
      } else if (reply.status() == 201 || reply.body().contains("\"errors\":false")) {
        acknowledged.add(id);
      } else {
        wrong.add(reply);
      }
    }

    private void read(int client) {
      String path =
          switch (client % 4) {
            case 0 -> "/" + INDEX + "/_search?size=1";
            case 1 -> "/" + INDEX + "/_doc/seed";
            case 2 -> "/" + INDEX + "/_count";
            default -> "/_cat/count/" + INDEX; // passes through
          };
      RestReply reply = bed.rest().send("GET", path);
      if (reply.status() != 200) {
        wrong.add(reply);
      }
      answeredReads.incrementAndGet();
    }

    void awaitMore(int count) {
      int from = answered.get();
      Await.untilValue("answers", answered::get, now -> now >= from + count);
    }

    /** Waits until all clients wait for an answer at the same time. */
    void awaitAllWaiting() {
      Await.untilValue(
          "coordinated requests under way while none is answered",
          () -> {
            int before = answered.get();
            int underWay = bed.gateway().inFlightWork().requests();
            return answered.get() == before ? underWay : 0;
          },
          now -> now == WRITERS + READERS - PASSING_THROUGH);
    }

    void stop() {
      over.set(true);
      threads.close();
    }
  }

  @Test
  void releaseRequestsToAFrozenCluster() throws IOException {
    for (DataNodeCluster cluster : List.of(TwoClusters.blue(), TwoClusters.green())) {
      cluster.rest().send("PUT", "/" + INDEX + "/_doc/seed", "{\"by\":-1}").orThrow();
    }
    Clients clients;
    try (TestBed bed = TwoClusters.gateway(traffic())) {
      clients = new Clients(bed);
      try {
        clients.awaitMore(200);
        assertThat(clients.wrong).isEmpty();
        TwoClusters.blue().nodes().forEach(DataNode::freeze);
        clients.awaitAllWaiting();
        assertThat(clients.unknown).isEmpty();
        assertThat(released(bed)).isZero();
        int before = clients.acknowledged.size();
        bed.admin().send("POST", "/traffic/cutover?to=green").orThrow();
        Await.untilValue(
            "acknowledged by green", clients.acknowledged::size, now -> now >= before + 100);
        int reads = clients.answeredReads.get();
        Await.untilValue("reads", clients.answeredReads::get, now -> now >= reads + 20);
      } finally {
        clients.stop();
        TwoClusters.blue().nodes().forEach(DataNode::resume);
      }
      assertThat(clients.wrong).isEmpty();
      assertThat(clients.unknown).as("writes that waited for blue").isNotEmpty();
      assertThat(clients.unknown)
          .allMatch(reply -> reply.body().contains("its outcome on that cluster is not known"));
      assertThat(released(bed)).isGreaterThanOrEqualTo(clients.unknown.size());
      TwoClusters.blue().restore();
      Set<String> onlyByBlue = new TreeSet<>(clients.acknowledged);
      onlyByBlue.removeAll(documents(TwoClusters.green()));
      assertThat(documents(TwoClusters.blue()))
          .as("acknowledged by blue before green could get them")
          .containsAll(onlyByBlue);
      TwoClusters.awaitReached(bed, 2);
      bed.assertNothingHeld();
    }
    Path output = folder.resolve("output");
    int status = command(output, "repair", "--log", folder.resolve("repair").toString());
    assertThat(status).as(Files.readString(output)).isZero();
    status = command(output, "compare", "blue", "green", INDEX);
    assertThat(status).as(Files.readString(output)).isZero();
    assertThat(documents(TwoClusters.green())).containsAll(clients.acknowledged);
    assertThat(documents(TwoClusters.blue())).containsAll(clients.acknowledged);
  }

  @Test
  void letRequestsToASlowClusterFinish() {
    try (TestBed bed = TwoClusters.gateway(traffic())) {
      CompletableFuture<RestReply> slow =
          CompletableFuture.supplyAsync(() ->
              bed.rest()
                  .send(
                      "PUT",
                      "/" + INDEX + "/_doc/slow?wait_for_active_shards=2&timeout=8s",
                      "{\"by\":0}"));
      Await.untilValue(
          "the write at a node",
          () -> TwoClusters.blue().rest().send("GET", "/_tasks?actions=indices:data/write*").body(),
          tasks -> tasks.contains("indices:data/write/bulk"));
      bed.admin().send("POST", "/traffic/cutover?to=green").orThrow();
      RestReply reply = slow.join();
      assertThat(reply.status()).isEqualTo(503);
      assertThat(reply.body()).contains("unavailable_shards_exception").doesNotContain(RELEASED);
      assertThat(released(bed)).isZero();
    }
  }

  private static long released(TestBed bed) {
    return JsonResponse.of(bed.admin().send("GET", "/traffic").orThrow())
        .number("released_requests");
  }

  private static Set<String> documents(DataNodeCluster cluster) {
    cluster.rest().send("POST", "/" + INDEX + "/_refresh").orThrow();
    List<Map<String, Object>> hits =
        JsonResponse.of(cluster.rest().send("GET", "/" + INDEX + "/_search?size=10000").orThrow())
            .objects("hits.hits");
    return hits.stream()
        .map(hit -> String.valueOf(hit.get("_id")))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Runs a command for both clusters and returns its exit status. */
  private int command(Path output, String... command) throws IOException {
    for (DataNodeCluster cluster : List.of(TwoClusters.blue(), TwoClusters.green())) {
      cluster.rest().send("POST", "/" + INDEX + "/_refresh").orThrow();
    }
    Path config = folder.resolve("weir.yaml");
    Files.writeString(
        config,
        """
        clusters:
          blue: {seeds: [%s]}
          green: {seeds: [%s]}
        %s
        """
            .formatted(
                TwoClusters.seeds(TwoClusters.blue()),
                TwoClusters.seeds(TwoClusters.green()),
                traffic()));
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of("--config", config.toString()));
    return GatewayChildProcess.run(output, all.toArray(String[]::new));
  }
}
