package dev.weir.it;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.faults.Await;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway with the default heap of users rejects requests beyond its memory. */
@Drawn(oneIn = 6)
class HeapBoundsIT {
  private static final String INDEX = "heap-bounds";
  private static final int DOCUMENTS = 1000;
  private static final int DOCUMENT_BYTES = 10_000;
  private static final int AT_ONCE = 32;
  private static final int ROUNDS = 3;

  /** The id of a point in time has the name for each shard, and each shard's node gets the id. */
  private static final String LONG_NAME = INDEX + "-" + "x".repeat(230);

  private static final int MANY_SHARDS = 600;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Random random = TestSeed.random(HeapBoundsIT.class);
  private final int port = Ports.findFree(random);
  private final int admin = Ports.findFree(random);

  @Test
  void rejectWithoutMemoryAndSurvive(@TempDir Path folder) throws Exception {
    try (GatewayChildProcess gateway = SharedClusterGateway.start(folder, port, admin)) {
      load();
      Map<Integer, Long> searches = new TreeMap<>();
      for (int round = 0; round < ROUNDS; round++) {
        storm("/" + INDEX + "/_search?size=" + DOCUMENTS, "")
            .forEach((status, count) -> searches.merge(status, count, Long::sum));
      }
      assertThat(firstAnswerToUnended("/_bulk", AT_ONCE, bulk(15_000_000)))
          .as("there is no room for all bulks")
          .isEqualTo(429);
      Map<Integer, Long> bulks = storm("/_bulk?filter_path=took", bulk(15_000_000));
      Map<Integer, Long> tiny = storm("/_bulk?filter_path=took", tinyBulk(4_000_000));

      assertThat(gateway.exitCode()).as(Files.readString(gateway.log())).isNotDone();
      for (Map<Integer, Long> statuses : List.of(searches, bulks, tiny)) {
        assertThat(statuses.keySet()).isSubsetOf(200, 429, 503);
      }
      assertThat(searches).as("some large answers do fit").containsKey(200);
      assertThat(send("/" + INDEX + "/_search?size=1", "").statusCode()).isEqualTo(200);
    }
  }

  /** All messages together take about 150 MB when it opens, and as much when it is deleted. */
  @Test
  void openAndDeleteAPointInTimeOfManyShards(@TempDir Path folder) throws Exception {
    try (RestClient node = new RestClient(SharedCluster.get().node(0).httpUri());
        GatewayChildProcess gateway = SharedClusterGateway.start(folder, port, admin)) {
      try {
        createManyShards(node);
        String path = "/" + LONG_NAME + "/_search/point_in_time?keep_alive=1h";
        HttpResponse<String> opened = send("POST", path, "");
        assertThat(opened.statusCode()).as(excerpt(opened)).isEqualTo(200);
        assertThat(openContexts(node)).contains(":" + MANY_SHARDS + "}");
        String id = opened.body().split("\"")[3]; // of {"pit_id":"...

        HttpResponse<String> deleted =
            send("DELETE", "/_search/point_in_time", "{\"pit_id\":[\"" + id + "\"]}");
        assertThat(deleted.statusCode()).as(excerpt(deleted)).isEqualTo(200);
        assertThat(deleted.body()).contains("\"successful\":true");
        assertThat(openContexts(node)).contains(":0}");
        assertThat(gateway.exitCode()).as(Files.readString(gateway.log())).isNotDone();
      } finally {
        node.send("DELETE", "/" + LONG_NAME + "?ignore_unavailable=true").orThrow();
      }
    }
  }

  private static void createManyShards(RestClient node) {
    String settings =
        "{\"settings\":{\"number_of_shards\":" + MANY_SHARDS + ",\"number_of_replicas\":0}}";
    node.send("PUT", "/" + LONG_NAME + "?wait_for_active_shards=0&timeout=50s", settings).orThrow();
    Await.untilValue(
        "all shards are active",
        () ->
            node.send("GET", "/_cluster/health/" + LONG_NAME + "?wait_for_status=green&timeout=20s")
                .status(),
        status -> status == 200);
  }

  private static String openContexts(RestClient node) {
    return node.send(
            "GET",
            "/" + LONG_NAME + "/_stats/search?filter_path=_all.total.search.point_in_time_current")
        .orThrow()
        .body();
  }

  private static String excerpt(HttpResponse<String> response) {
    return response.body().substring(0, Math.min(1000, response.body().length()));
  }

  /**
   * Each of the three nodes has a copy. A node holds a large response twice until the gateway has
   * read it: with all searches on two nodes of 512 MB, these would run out of memory first.
   */
  private void load() throws Exception {
    String settings = "{\"settings\":{\"number_of_replicas\":2}}";
    assertThat(send("PUT", "/" + INDEX, settings).statusCode()).isEqualTo(200);
    for (int part = 0; part < 10; part++) {
      String bulk = bulk(DOCUMENTS / 10 * DOCUMENT_BYTES);
      assertThat(send("/_bulk?filter_path=errors", bulk).statusCode()).isEqualTo(200);
    }
    assertThat(send("/" + INDEX + "/_refresh", "{}").statusCode()).isEqualTo(200);
  }

  private static String bulk(int bytes) {
    String document =
        "{\"index\":{\"_index\":\""
            + INDEX
            + "\"}}\n{\"text\":\""
            + "x".repeat(DOCUMENT_BYTES)
            + "\"}\n";
    return document.repeat(bytes / DOCUMENT_BYTES);
  }

  /** Many small items: the parsed body is far larger than the body. */
  private static String tinyBulk(int bytes) {
    String item = "{\"delete\":{\"_index\":\"" + INDEX + "\",\"_id\":\"1\"}}\n";
    return item.repeat(bytes / item.length());
  }

  /** Sends equal requests at once; returns the counts by status, 0 without a response. */
  private Map<Integer, Long> storm(String path, String body) {
    String method = body.isEmpty() ? "GET" : "POST";
    List<CompletableFuture<Integer>> answers = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      answers.add(
          client
              .sendAsync(request(method, path, body), BodyHandlers.discarding())
              .handle((response, failure) -> failure == null ? response.statusCode() : 0));
    }
    return answers.stream()
        .map(CompletableFuture::join)
        .collect(Collectors.groupingBy(status -> status, TreeMap::new, Collectors.counting()));
  }

  /**
   * Sends requests without their last byte, so that none ends before the first response arrives;
   * returns its status.
   */
  private int firstAnswerToUnended(String path, int requests, String body) throws Exception {
    byte[] whole = body.getBytes(US_ASCII);
    String head =
        "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            .formatted(path, whole.length);
    CompletableFuture<Integer> first = new CompletableFuture<>();
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < requests; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        sockets.add(socket);
        Thread.ofVirtual().start(() -> sendAllButTheEnd(socket, head.getBytes(US_ASCII), whole));
        Thread.ofVirtual().start(() -> awaitStatus(socket, first));
      }
      return first.get(2, TimeUnit.MINUTES);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static void sendAllButTheEnd(Socket socket, byte[] head, byte[] body) {
    try {
      socket.getOutputStream().write(head);
      socket.getOutputStream().write(body, 0, body.length - 1);
    } catch (IOException e) {
      // rejected, or closed because another one was
    }
  }

  private static void awaitStatus(Socket socket, CompletableFuture<Integer> first) {
    try {
      byte[] line = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
      if (line.length == "HTTP/1.1 200".length()) {
        first.complete(Integer.valueOf(new String(line, 9, 3, US_ASCII)));
      }
    } catch (IOException e) {
      // closed without a response
    }
  }

  private HttpResponse<String> send(String path, String body) throws Exception {
    return send(body.isEmpty() ? "GET" : "POST", path, body);
  }

  private HttpResponse<String> send(String method, String path, String body) throws Exception {
    return client.send(request(method, path, body), BodyHandlers.ofString());
  }

  private HttpRequest request(String method, String path, String body) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .header("Content-Type", "application/json")
        .method(method, BodyPublishers.ofString(body))
        .build();
  }
}
