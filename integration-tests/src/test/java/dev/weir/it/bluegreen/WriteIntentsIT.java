package dev.weir.it.bluegreen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that is killed between the two writes leaves what the next one repairs. */
@Drawn(oneIn = 4)
class WriteIntentsIT {
  private static final String INDEX = "intents";
  private static final int CLIENTS = 8;

  @TempDir private Path folder;

  @BeforeEach
  void create() {
    TwoClusters.createOnBoth(INDEX);
  }

  @AfterEach
  void delete() {
    TwoClusters.deleteOnBoth(INDEX);
  }

  private String traffic() {
    return "traffic: {weights: {blue: 1}, dual-writes: {target-cluster: green, timeout: 5m, repair-log-directory: \"%s\", intent-log: {directory: \"%s\", max-wait: 30s, on-failure: reject}}}"
        .formatted(folder.resolve("repair"), folder.resolve("intents"));
  }

  private Path config(int port, int admin) throws IOException {
    return Files.writeString(
        folder.resolve("weir.yaml"),
        """
        clusters:
          blue: {seeds: [%s]}
          green: {seeds: [%s]}
        http: {listen: "127.0.0.1:%d"}
        admin: {listen: "127.0.0.1:%d"}
        %s
        """
            .formatted(
                TwoClusters.seeds(TwoClusters.blue()),
                TwoClusters.seeds(TwoClusters.green()),
                port,
                admin,
                traffic()));
  }

  private static URI uri(int port) {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Writes bulks with given and with generated ids until the gateway is gone. */
  private static void write(RestClient client, Random random, AtomicInteger answered) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      String id = random.nextBoolean() ? "" : "\"_id\":\"d" + random.nextInt(12) + "\"";
      lines.append("{\"index\":{").append(id).append("}}\n{\"v\":").append(random.nextInt());
      lines.append("}\n");
    }
    lines.append("{\"delete\":{\"_id\":\"d").append(random.nextInt(12)).append("\"}}\n");
    byte[] bulk = lines.toString().getBytes(StandardCharsets.UTF_8);
    assertThat(client.bulk("/" + INDEX + "/_bulk", bulk).status()).isEqualTo(200);
    answered.incrementAndGet();
  }

  private static void blockWritesToGreen(boolean blocked) {
    TwoClusters.green()
        .rest()
        .send("PUT", "/" + INDEX + "/_settings", "{\"index.blocks.write\":" + blocked + "}")
        .orThrow();
  }

  private static long stat(RestClient admin, String name) {
    return JsonResponse.of(admin.send("GET", "/stats").orThrow())
        .number("dual_writes.green." + name);
  }

  @Test
  void repairWhatAKilledGatewayLeftBetweenTheWrites() throws IOException {
    int port = freePort();
    int adminPort = freePort();
    Path config = config(port, adminPort);
    AtomicInteger answered = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    GatewayChildProcess gateway = GatewayChildProcess.start(config, folder.resolve("gateway.out"));
    try (RestClient admin = new RestClient(uri(adminPort));
        RestClient rest = new RestClient(uri(port));
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      gateway.awaitReady(uri(adminPort));
      for (int i = 0; i < CLIENTS; i++) {
        Random random = new Random(i);
        clients.execute(() -> {
          try {
            while (!over.get()) {
              write(rest, random, answered);
            }
          } catch (UncheckedIOException killed) {
            over.set(true);
          }
        });
      }
      Await.untilValue("answers", answered::get, now -> now >= 50);
      blockWritesToGreen(true);
      // Each client waits for green now: its write is in blue alone, and no log says so.
      Await.untilValue(
          "requests between the writes",
          () -> admin.send("GET", "/metrics").body().lines().toList(),
          lines -> lines.contains("weir_dual_write_open_intents " + CLIENTS + ".0"));
      Await.untilValue(
          "documents that green lacks",
          () -> count(TwoClusters.blue()) - count(TwoClusters.green()),
          more -> more > 0);
      gateway.kill();
      gateway.exitCode().join();
    } finally {
      over.set(true);
      gateway.close();
      blockWritesToGreen(false);
    }
    Path output = folder.resolve("output");
    assertThat(command(output, "compare", "blue", "green", INDEX)).as("the hole").isOne();
    try (TestBed bed = TwoClusters.gateway(traffic())) {
      Await.untilValue(
          "recovered", () -> stat(bed.admin(), "intents_recovered"), now -> now >= CLIENTS);
      bed.rest().send("PUT", "/" + INDEX + "/_doc/new", "{}").orThrow();
      assertThat(stat(bed.admin(), "intents")).isOne();
      bed.assertNothingHeld();
    }
    assertThat(folder.resolve("intents")).isEmptyDirectory();
    int status = command(output, "repair", "--log", folder.resolve("repair").toString());
    assertThat(status).as(Files.readString(output)).isZero();
    status = command(output, "compare", "blue", "green", INDEX);
    assertThat(status).as(Files.readString(output)).isZero();
  }

  private static long count(DataNodeCluster cluster) {
    cluster.rest().send("POST", "/" + INDEX + "/_refresh").orThrow();
    return JsonResponse.of(cluster.rest().send("GET", "/" + INDEX + "/_count").orThrow())
        .number("count");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private int command(Path output, String... command) {
    for (DataNodeCluster cluster : List.of(TwoClusters.blue(), TwoClusters.green())) {
      cluster.rest().send("POST", "/" + INDEX + "/_refresh").orThrow();
    }
    String[] all = Arrays.copyOf(command, command.length + 2);
    all[command.length] = "--config";
    all[command.length + 1] = folder.resolve("weir.yaml").toString();
    return GatewayChildProcess.run(output, all);
  }
}
