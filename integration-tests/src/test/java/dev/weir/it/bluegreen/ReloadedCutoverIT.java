package dev.weir.it.bluegreen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.Ports;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A changed configuration file cuts over from a cluster that no longer answers. */
class ReloadedCutoverIT {
  private static final String INDEX = "reloaded-cutover";
  private static final Random RANDOM = TestSeed.random(ReloadedCutoverIT.class);

  private final int port = Ports.findFree(RANDOM);
  private final int adminPort = Ports.findFree(RANDOM);

  @TempDir private Path folder;

  @BeforeEach
  void create() {
    TwoClusters.createOnBoth(INDEX);
    for (DataNodeCluster cluster : List.of(TwoClusters.blue(), TwoClusters.green())) {
      cluster.rest().send("PUT", document("seed"), "{\"n\":1}").orThrow();
    }
  }

  @AfterEach
  void delete() {
    TwoClusters.blue().nodes().forEach(DataNode::resume);
    TwoClusters.blue().restore();
    TwoClusters.deleteOnBoth(INDEX);
  }

  private static String document(String id) {
    return "/" + INDEX + "/_doc/" + id;
  }

  @Test
  void releaseRequestsToAFrozenCluster() throws IOException {
    Path config = folder.resolve("weir.yaml");
    write(config, "blue");
    URI admin = URI.create("http://127.0.0.1:" + adminPort);
    try (GatewayChildProcess gateway =
            GatewayChildProcess.start(config, folder.resolve("gateway.log"));
        RestClient pages = new RestClient(admin);
        RestClient client = new RestClient(URI.create("http://127.0.0.1:" + port))) {
      gateway.awaitReady(admin);
      TwoClusters.awaitReached(pages, 2);
      client.send("PUT", document("before"), "{\"n\":2}").orThrow();
      TwoClusters.blue().nodes().forEach(DataNode::freeze);
      CompletableFuture<RestReply> written = later(client, "PUT", document("waits"), "{\"n\":3}");
      CompletableFuture<RestReply> read = later(client, "GET", document("seed"), "");
      Await.untilValue(
          "requests under way to blue", () -> underWay(pages), requests -> requests == 2);

      write(config, "green");

      assertThat(read.join().status()).isEqualTo(200);
      assertThat(read.join().body()).contains("\"found\":true");
      assertThat(written.join().status()).isEqualTo(408);
      assertThat(written.join().body())
          .contains("released_request_exception", "its outcome on that cluster is not known");
      assertThat(
              JsonResponse.of(pages.send("GET", "/traffic").orThrow()).number("released_requests"))
          .isEqualTo(2);
      assertThat(client.send("PUT", document("after"), "{\"n\":4}").status()).isEqualTo(201);
    }
    assertThat(isFound(TwoClusters.green(), "after")).isTrue();
    assertThat(isFound(TwoClusters.green(), "waits")).isFalse();
    TwoClusters.blue().nodes().forEach(DataNode::resume);
    TwoClusters.blue().restore();
    assertThat(isFound(TwoClusters.blue(), "before")).isTrue();
    assertThat(isFound(TwoClusters.blue(), "after")).isFalse();
  }

  /** Replaces the configuration by one that sends everything to a cluster. */
  private void write(Path config, String active) throws IOException {
    Path next = folder.resolve("next.yaml");
    Files.writeString(
        next,
        """
        clusters:
          blue: {seeds: [%s]}
          green: {seeds: [%s]}
        http: {listen: "127.0.0.1:%d"}
        admin: {listen: "127.0.0.1:%d"}
        traffic: {weights: {%s: 1}}
        """
            .formatted(
                TwoClusters.seeds(TwoClusters.blue()),
                TwoClusters.seeds(TwoClusters.green()),
                port,
                adminPort,
                active));
    Files.move(next, config, StandardCopyOption.ATOMIC_MOVE);
  }

  private static CompletableFuture<RestReply> later(
      RestClient client, String method, String path, String body) {
    return CompletableFuture.supplyAsync(
        () -> body.isEmpty() ? client.send(method, path) : client.send(method, path, body));
  }

  private static long underWay(RestClient admin) {
    return admin
        .send("GET", "/metrics")
        .orThrow()
        .body()
        .lines()
        .filter(line -> line.startsWith("weir_requests_in_flight"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private static boolean isFound(DataNodeCluster cluster, String id) {
    return cluster.rest().send("GET", document(id)).status() == 200;
  }
}
