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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every write to blue also reaches green, or the repair log, which brings it there later. */
@Drawn(oneIn = 6)
class DualWritesIT {
  private static final String INDEX = "dual";
  private static final int IDS = 12;

  @TempDir private Path folder;
  private Path log;

  @BeforeEach
  void create() {
    log = folder.resolve("repair");
    TwoClusters.createOnBoth(INDEX);
  }

  @AfterEach
  void empty() {
    TwoClusters.deleteOnBoth(INDEX);
    TwoClusters.blue().rest().send("DELETE", "/_ingest/pipeline/dual");
  }

  private String traffic(String timeout) {
    return "traffic: {weights: {blue: 1}, dual-writes: {target-cluster: green, timeout: %s, repair-log-directory: \"%s\"}}"
        .formatted(timeout, log);
  }

  /** Clients that write a few documents continuously, in random order. */
  private static final class Writers implements AutoCloseable {
    private static final int CLIENTS = 8;

    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger answered = new AtomicInteger();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

    Writers(TestBed bed, long seed) {
      for (int i = 0; i < CLIENTS; i++) {
        Random random = new Random(seed * CLIENTS + i);
        clients.execute(() -> {
          while (!over.get()) {
            write(bed, random);
          }
        });
      }
    }

    private void write(TestBed bed, Random random) {
      String path = "/" + INDEX + "/";
      String id = "d" + random.nextInt(IDS);
      String document = "{\"v\":" + random.nextInt(1_000_000) + "}";
      RestReply reply =
          switch (random.nextInt(6)) {
            case 0 -> bed.rest().send("DELETE", path + "_doc/" + id);
            case 1 ->
                bed.rest()
                    .send(
                        "POST",
                        path + "_update/" + id + "?retry_on_conflict=20",
                        "{\"doc_as_upsert\":true,\"doc\":" + document + "}");
            case 2, 3 -> bed.rest().bulk(path + "_bulk", bulk(random));
            default -> bed.rest().send("PUT", path + "_doc/" + id, document);
          };
      boolean done =
          (reply.status() == 200 && !reply.body().contains("\"error\""))
              || reply.status() == 201
              || (reply.status() == 404 && reply.body().contains("\"result\":\"not_found\""));
      if (!done) {
        wrong.add(reply.toString());
      }
      answered.incrementAndGet();
    }

    private static byte[] bulk(Random random) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < 5; i++) {
        String id = "{\"_id\":\"d" + random.nextInt(IDS) + "\"}}\n";
        if (random.nextInt(4) == 0) {
          lines.append("{\"delete\":").append(id);
        } else {
          lines.append("{\"index\":").append(id);
          lines.append("{\"v\":").append(random.nextInt(1_000_000)).append("}\n");
        }
      }
      return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    void awaitMore(int count) {
      int from = answered.get();
      Await.untilValue("answers", answered::get, now -> now >= from + count);
    }

    void stop() {
      over.set(true);
      clients.close();
    }

    @Override
    public void close() {
      stop();
    }
  }

  /** Returns every document with its version and source. */
  private static Map<String, String> documents(DataNodeCluster cluster) {
    cluster.rest().send("POST", "/" + INDEX + "/_refresh").orThrow();
    Map<String, String> documents = new TreeMap<>();
    JsonResponse.of(
            cluster.rest().send("GET", "/" + INDEX + "/_search?size=1000&version=true").orThrow())
        .objects("hits.hits")
        .forEach(hit ->
            documents.put(
                String.valueOf(hit.get("_id")), hit.get("_version") + ":" + hit.get("_source")));
    return documents;
  }

  private static void assertSame() {
    assertThat(documents(TwoClusters.green())).isEqualTo(documents(TwoClusters.blue()));
  }

  private static long outcome(TestBed bed, String name) {
    return JsonResponse.of(bed.admin().send("GET", "/stats").orThrow())
        .number("dual_writes.green." + name);
  }

  /** Runs {@code weir repair} and returns its exit status. */
  private int repair(Path output, String... more) throws IOException {
    return command(output, List.of("repair", "--log", log.toString()), more);
  }

  /** Runs {@code weir compare} for both clusters and returns its exit status. */
  private int compare(Path output, String... more) throws IOException {
    for (DataNodeCluster cluster : List.of(TwoClusters.blue(), TwoClusters.green())) {
      cluster.rest().send("POST", "/" + INDEX + "/_refresh").orThrow();
    }
    return command(output, List.of("compare", "blue", "green", INDEX), more);
  }

  private int command(Path output, List<String> command, String... more) throws IOException {
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
                traffic("2s")));
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of("--config", config.toString()));
    all.addAll(List.of(more));
    return GatewayChildProcess.run(output, all.toArray(String[]::new));
  }

  @Test
  void equalizeTheClustersAfterOneWasKilled() throws IOException {
    try (TestBed bed = TwoClusters.gateway(traffic("1s"))) {
      DataNode green = TwoClusters.green().node(0);
      try (Writers writers = new Writers(bed, 1)) {
        writers.awaitMore(150);
        green.kill();
        writers.awaitMore(150);
        green.start();
        TwoClusters.green().awaitNodes(1);
        TwoClusters.green().awaitGreen();
        long before = outcome(bed, "written");
        Await.untilValue("written again", () -> outcome(bed, "written"), now -> now > before + 50);
        writers.stop();
        assertThat(writers.wrong).isEmpty();
      } finally {
        if (!green.isAlive()) {
          green.start();
          TwoClusters.green().awaitNodes(1);
          TwoClusters.green().awaitGreen();
        }
      }
      bed.assertNothingHeld();
      assertThat(outcome(bed, "log_entries")).isPositive();
      assertThat(outcome(bed, "log_failures")).isZero();
      assertThat(bed.admin().send("GET", "/metrics").body())
          .contains("weir_dual_writes_total{outcome=\"written\",target_cluster=\"green\"}");
    }
    Path output = folder.resolve("repair.out");
    assertThat(repair(output, "--dry-run")).isOne();
    int status = repair(output);
    assertThat(status).as(Files.readString(output)).isZero();
    assertThat(Files.readString(output)).contains("written").contains(" failed, of ");
    assertSame();
    assertThat(documents(TwoClusters.blue())).isNotEmpty();
  }

  @Test
  void repeatPipelineResultsAndReportWritesOfNodes() throws IOException {
    TwoClusters.blue()
        .rest()
        .send(
            "PUT",
            "/_ingest/pipeline/dual",
            "{\"processors\":[{\"set\":{\"field\":\"made\",\"value\":true}}]}")
        .orThrow();
    try (TestBed bed = TwoClusters.gateway(traffic("5m"))) {
      RestReply bulk =
          bed.rest()
              .bulk(
                  "/" + INDEX + "/_bulk?pipeline=dual",
                  "{\"index\":{\"_id\":\"1\"}}\n{\"v\":1}\n{\"index\":{}}\n{\"v\":2}\n"
                      .getBytes(StandardCharsets.UTF_8));
      assertThat(bulk.body()).contains("\"ingest_took\"").contains("\"errors\":false");
      bed.rest().send("PUT", "/" + INDEX + "/_doc/3?pipeline=dual", "{\"v\":3}").orThrow();
      bed.rest()
          .send("PUT", "/" + INDEX + "/_doc/4?routing=r&refresh=wait_for", "{\"v\":4}")
          .orThrow();
      bed.rest()
          .send("POST", "/" + INDEX + "/_update/4?routing=r", "{\"doc\":{\"w\":4}}")
          .orThrow();
      assertSame();
      assertThat(documents(TwoClusters.green()))
          .hasSize(4)
          .containsEntry("1", "1:{v=1, made=true}")
          .containsEntry("4", "2:{v=4, w=4}");
      assertThat(Files.exists(log)).isFalse();
      bed.rest().send("POST", "/" + INDEX + "/_delete_by_query?refresh=true&q=v:1", "").orThrow();
      assertThat(outcome(bed, "not_replicated")).isOne();
      bed.assertNothingHeld();
    }
    Path output = folder.resolve("repair.out");
    assertThat(repair(output)).isOne();
    assertThat(Files.readString(output))
        .contains("not repeated")
        .contains("POST /" + INDEX + "/_delete_by_query");
    assertThat(repair(output, "--dismiss-requests")).isZero();
  }

  @Test
  void repeatWritesThroughARoutedAlias() throws IOException {
    String alias =
        "{\"actions\":[{\"add\":{\"index\":\"%s\",\"alias\":\"dual-routed\",\"routing\":\"r\"}}]}"
            .formatted(INDEX);
    for (DataNodeCluster cluster : List.of(TwoClusters.blue(), TwoClusters.green())) {
      cluster.rest().send("POST", "/_aliases", alias).orThrow();
    }
    StringBuilder lines = new StringBuilder();
    StringBuilder updates = new StringBuilder();
    for (int i = 0; i < 8; i++) { // without the routing, in both shards
      lines.append("{\"index\":{\"_id\":\"").append(i).append("\"}}\n{\"v\":1}\n");
      updates.append("{\"update\":{\"_id\":\"").append(i).append("\"}}\n");
      updates.append("{\"doc\":{\"w\":").append(i).append("}}\n");
    }
    byte[] bulk = lines.toString().getBytes(StandardCharsets.UTF_8);
    byte[] changes = updates.toString().getBytes(StandardCharsets.UTF_8);
    try (TestBed bed = TwoClusters.gateway(traffic("5m"))) {
      assertThat(bed.rest().bulk("/dual-routed/_bulk", bulk).body()).contains("\"errors\":false");
      bed.rest().send("POST", "/dual-routed/_update/3", "{\"doc\":{\"w\":99}}").orThrow();
      assertSame();
      assertThat(documents(TwoClusters.green())).hasSize(8).containsEntry("3", "2:{v=1, w=99}");
    }
    // The gateway tries writes to the blocked index again until the timeout.
    try (TestBed bed = TwoClusters.gateway(traffic("1s"))) {
      TwoClusters.green()
          .rest()
          .send("PUT", "/" + INDEX + "/_settings", "{\"index.blocks.write\":true}")
          .orThrow();
      assertThat(bed.rest().bulk("/dual-routed/_bulk", changes).body())
          .contains("\"errors\":false");
      assertThat(outcome(bed, "log_entries")).isEqualTo(8);
      bed.assertNothingHeld();
    }
    TwoClusters.green()
        .rest()
        .send("PUT", "/" + INDEX + "/_settings", "{\"index.blocks.write\":null}")
        .orThrow();
    Path output = folder.resolve("repair.out");
    int status = repair(output);
    assertThat(status).as(Files.readString(output)).isZero();
    assertThat(Files.readString(output)).contains("blue to green: 8 written, 0 deleted");
    assertSame();
    assertThat(documents(TwoClusters.green())).hasSize(8).containsEntry("5", "2:{v=1, w=5}");
  }

  /** Entries of both directions, as a cut-over and a way back leave them; then a comparison. */
  @Test
  void repairBothDirectionsAndCompare() throws IOException {
    for (DataNodeCluster cluster : List.of(TwoClusters.blue(), TwoClusters.green())) {
      for (String id : List.of("gone", "both", "routed?routing=r")) {
        cluster.rest().send("PUT", "/" + INDEX + "/_doc/" + id, "{\"v\":1}").orThrow();
      }
    }
    String traffic = traffic("1s");
    writeWithoutTheOther(traffic, TwoClusters.green(), "both", "gone");
    String back =
        traffic
            .replace("{blue: 1}", "{green: 1}")
            .replace("dual-writes", "rollback: {target-cluster: blue}, dual-writes");
    writeWithoutTheOther(back, TwoClusters.blue(), "both", null);
    Path output = folder.resolve("repair.out");
    assertThat(compare(output)).isOne();
    assertThat(Files.readString(output))
        .contains("both: different source in version 2")
        .contains("gone: only in green")
        .contains("1 same, 0 different version, 1 different source, 0 only in blue, 1 only in");
    int status = repair(output);
    assertThat(status).as(Files.readString(output)).isZero();
    assertThat(Files.readString(output)).contains("advice: the log has entries both ways");
    assertSame();
    assertThat(documents(TwoClusters.blue())).containsEntry("both", "2:{green=false}");
    status = compare(output);
    assertThat(status).as(Files.readString(output)).isZero();
    assertThat(Files.readString(output)).contains("2 same, 0 different");

    TwoClusters.green()
        .rest()
        .send("PUT", "/" + INDEX + "/_doc/both", "{\"green\":\"false\"}")
        .orThrow();
    TwoClusters.blue().rest().send("DELETE", "/" + INDEX + "/_doc/both").orThrow();
    TwoClusters.green().rest().send("PUT", "/" + INDEX + "/_doc/x", "{}").orThrow();
    TwoClusters.blue().rest().send("PUT", "/" + INDEX + "/_doc/y", "{\"n\":1.0}").orThrow();
    TwoClusters.blue()
        .rest()
        .send("PUT", "/" + INDEX + "/_doc/routed?routing=r", "{\"v\":2}")
        .orThrow();
    assertThat(compare(output, "--fix-log", log.toString())).isOne();
    assertThat(Files.readString(output))
        .contains("routed (routing r): version 2 in blue, 1 in green");
    status = repair(output);
    assertThat(status).as(Files.readString(output)).isZero();
    assertThat(compare(output)).isZero();
    assertThat(documents(TwoClusters.green())).containsOnlyKeys("routed", "y");
  }

  @Test
  void compareAnIndexWithASearchPipeline() throws IOException {
    for (DataNodeCluster cluster : List.of(TwoClusters.blue(), TwoClusters.green())) {
      cluster.rest().send("PUT", "/" + INDEX + "/_doc/1", "{\"v\":1}").orThrow();
    }
    TwoClusters.blue()
        .rest()
        .send(
            "PUT", "/" + INDEX + "/_settings", "{\"index.search.default_pipeline\":\"none-such\"}")
        .orThrow();
    Path output = folder.resolve("compare.out");
    int status = compare(output);
    assertThat(status).as(Files.readString(output)).isZero();
    assertThat(Files.readString(output)).contains("1 same, 0 different");
  }

  /** Writes a document and deletes another through a gateway while one cluster takes no writes. */
  private static void writeWithoutTheOther(
      String traffic, DataNodeCluster other, String written, @Nullable String deleted) {
    String settings = "/" + INDEX + "/_settings";
    other.rest().send("PUT", settings, "{\"index.blocks.write\":true}").orThrow();
    try (TestBed bed = TwoClusters.gateway(traffic)) {
      String document = "{\"green\":" + (other == TwoClusters.green()) + "}";
      bed.rest().send("PUT", "/" + INDEX + "/_doc/" + written, document).orThrow();
      if (deleted != null) {
        bed.rest().send("DELETE", "/" + INDEX + "/_doc/" + deleted).orThrow();
      }
      bed.assertNothingHeld();
    } finally {
      other.rest().send("PUT", settings, "{\"index.blocks.write\":null}").orThrow();
    }
  }
}
