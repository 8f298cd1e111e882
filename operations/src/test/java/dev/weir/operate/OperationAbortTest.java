package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.client.JsonReader;
import dev.weir.client.RestConnections;
import dev.weir.client.RestTarget;
import dev.weir.model.JsonTextWriter;
import dev.weir.operate.NodeRecord.CommandState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Aborts of an operation that stopped while its command ran, at a cluster and a gateway in one. */
class OperationAbortTest {
  private static final String ALLOCATION = ClusterSettings.ALLOCATION;
  private static final String WEIGHT = "cluster.metadata.weir.node-weight.";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Map<String, String> settings = new ConcurrentHashMap<>();
  private final Map<String, Integer> statuses = new ConcurrentHashMap<>();
  private final List<String> changes = new CopyOnWriteArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private final RestConnections connections = new RestConnections();
  private final HttpServer server;
  private final Operation operation;

  OperationAbortTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    URI base = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    List<RestTarget> targets = List.of(new RestTarget(connections, base, Map.of()));
    operation =
        new Operation(
            new ClusterApi(targets, TIMEOUT),
            new GatewayAdmin(targets, "", TIMEOUT),
            command -> 0,
            lines::add);
    settings.put(ALLOCATION, "primaries");
    settings.put(WEIGHT + "a", "0");
    settings.put(WEIGHT + "b", "0");
    settings.put(JournalFormat.SETTING, JournalFormat.write(journal()));
  }

  @AfterEach
  void close() {
    server.stop(0);
    connections.close();
  }

  static OperationJournal journal() {
    return new OperationJournal(
        "id",
        "owner",
        OperationKind.RESTART_NODE,
        Instant.EPOCH,
        List.of(List.of("a", "b")),
        0,
        OperationStep.RUN_COMMAND,
        Map.of(
            "a",
            new NodeRecord(0.25, "", CommandState.BEGUN),
            "b",
            new NodeRecord(1, "", CommandState.BEGUN)),
        Map.of("persistent." + ALLOCATION, "new_primaries"),
        ZoneRecord.NONE,
        "",
        OperationOptions.DEFAULTS);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String path = exchange.getRequestURI().getPath();
    int status = 200;
    if (exchange.getRequestMethod().equals("PUT")) {
      change(body);
    } else if (exchange.getRequestMethod().equals("POST")) {
      String node = path.split("/", -1)[2];
      changes.add(node + " " + exchange.getRequestURI().getQuery());
      status = statuses.getOrDefault(node, 200);
    }
    byte[] answer =
        new JsonTextWriter(JsonTextWriter.Layout.COMPACT)
            .tree(Map.of("persistent", settings, "transient", Map.of()))
            .finish()
            .getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  /** Changes settings as the cluster does; the reader leaves out what is null. */
  private void change(String body) throws IOException {
    settings.keySet().removeIf(key -> body.contains("\"" + key + "\":null"));
    settings.putAll(JsonReader.readObject(body).child("persistent").memberTexts());
  }

  @Test
  void keepTheJournalUntilAllIsAsBefore() throws Exception {
    statuses.put("b", 500);
    assertThatThrownBy(operation::abort)
        .isInstanceOf(OperationException.class)
        .hasMessageContaining("POST /nodes/b/weight?weight=1.0 got status 500")
        .hasMessageEndingWith("repeat --abort");
    assertThat(changes).containsExactlyInAnyOrder("a weight=0.25", "b weight=1.0");
    assertThat(settings).containsEntry(ALLOCATION, "new_primaries");
    OperationJournal kept = Objects.requireNonNull(operation.journal());
    assertThat(kept.nodes()).isEqualTo(journal().nodes());
    assertThatThrownBy(() -> operation.resume(UnknownOutcomePolicy.REPEAT, ""))
        .isInstanceOf(OperationException.class)
        .hasMessageEndingWith("repeat --abort");

    statuses.clear();
    changes.clear();
    operation.abort();
    assertThat(changes).containsExactlyInAnyOrder("a weight=0.25", "b weight=1.0");
    assertThat(settings).containsEntry(ALLOCATION, "new_primaries");
    assertThat(operation.journal()).isNull();
    assertThat(lines).containsExactly("aborted; settings and weights are as before");
  }

  @Test
  void endThoughTheGatewayDoesNotKnowANode() throws Exception {
    statuses.put("b", 404);
    operation.abort();
    assertThat(operation.journal()).isNull();
    assertThat(settings).doesNotContainKey(WEIGHT + "b");
  }
}
