package dev.weir.operate;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.client.JsonReader;
import dev.weir.client.RestConnections;
import dev.weir.client.RestTarget;
import dev.weir.model.JsonTextWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A cluster of the nodes a, b and c, and a gateway, in one. The node c is the manager; a and b are
 * in one zone. A restart gives a node another ephemeral id.
 */
final class FakeOperatedCluster implements AutoCloseable {
  static final String WEIGHT = "cluster.metadata.weir.node-weight.";
  private static final List<String> NODES = List.of("a", "b", "c");
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** No client takes it for an answer, or repeats its call. */
  private static final int STOPPED = 418;

  private record Answer(int status, String body) {}

  /** The persistent settings. */
  final Map<String, String> settings = new ConcurrentSkipListMap<>();

  /** The calls that have changed the cluster state. */
  final List<String> changes = new CopyOnWriteArrayList<>();

  /** The nodes with started copies, by index. */
  final Map<String, List<String>> copies = new ConcurrentHashMap<>();

  final Map<String, String> writeWaits = new ConcurrentHashMap<>();
  final List<String> snapshots = new CopyOnWriteArrayList<>();

  /** The statuses of the next calls of {@code GET /nodes}; then 200. */
  final Queue<Integer> nodesStatuses = new ConcurrentLinkedQueue<>();

  /** The status of each change of a weight. */
  volatile int weightStatus = 200;

  volatile int relocatingShards;
  volatile String health = "green";

  /** Whether a flush of several indices fails. */
  volatile boolean flushesOneByOne;

  /** Runs after each change. */
  volatile Runnable afterChange = () -> {};

  /** Run while the next calls that drain a node are rejected, one for each. */
  final Queue<Runnable> rejectedDrains = new ConcurrentLinkedQueue<>();

  /** Run while the next calls that change settings are rejected, one for each. */
  final Queue<Runnable> rejectedSettings = new ConcurrentLinkedQueue<>();

  /** The status of rejected calls. */
  volatile int rejection = 503;

  /** The nodes that have left the cluster. */
  final Set<String> away = ConcurrentHashMap.newKeySet();

  /** The number of the change after which nothing answers; 0 for never. */
  volatile int lastChange;

  /** Whether nothing answers. */
  volatile boolean isStopped;

  private final Map<String, Integer> starts = new ConcurrentHashMap<>();
  private final RestConnections connections = new RestConnections();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;

  FakeOperatedCluster() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
    copies.put("logs", List.of("a", "c"));
    settings.put(ClusterSettings.ALLOCATION, "all");
  }

  @Override
  public void close() {
    server.stop(0);
    connections.close();
    threads.close();
  }

  private List<RestTarget> targets() {
    URI base = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    return List.of(new RestTarget(connections, base, Map.of()));
  }

  ClusterApi api() {
    return new ClusterApi(targets(), TIMEOUT);
  }

  Operation operation(ShellRunner commands, OperationObserver observer) {
    return new Operation(api(), new GatewayAdmin(targets(), "", TIMEOUT), commands, observer);
  }

  /** Sets the weight of a node without a call; empty text removes it. */
  void setWeight(String node, String weight) {
    if (weight.isEmpty()) {
      settings.remove(WEIGHT + node);
    } else {
      settings.put(WEIGHT + node, weight);
    }
  }

  void restart(String node) {
    starts.merge(node, 1, Integer::sum);
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Answer answer =
        answer(
            exchange.getRequestMethod(),
            exchange.getRequestURI().getPath(),
            Objects.requireNonNullElse(exchange.getRequestURI().getQuery(), ""),
            body);
    byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status(), bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private Answer answer(String method, String path, String query, String body) throws IOException {
    if (isStopped || (lastChange > 0 && changes.size() >= lastChange)) {
      return new Answer(STOPPED, "");
    }
    if (query.contains("perform_permission_check")) {
      return new Answer(400, "{}");
    }
    if (method.equals("PUT") && path.equals("/_cluster/settings")) {
      if (reject(rejectedSettings)) {
        return new Answer(rejection, "{}");
      }
      settings.keySet().removeIf(key -> body.contains("\"" + key + "\":null"));
      settings.putAll(JsonReader.readObject(body).child("persistent").memberTexts());
      return changed("PUT " + path);
    }
    if (method.equals("POST") && path.endsWith("/drain") && reject(rejectedDrains)) {
      return new Answer(rejection, "{}");
    }
    if (method.equals("POST") && path.startsWith("/nodes/")) {
      return weightStatus == 200 ? weigh(path, query) : new Answer(weightStatus, "{}");
    }
    if (method.equals("POST") && path.endsWith("/_flush")) {
      return new Answer(flushesOneByOne && path.contains(",") ? 400 : 200, "{}");
    }
    if (path.equals("/nodes")) {
      Integer status = nodesStatuses.poll();
      return status == null ? json(Map.of("nodes", rows())) : new Answer(status, "{}");
    }
    if (path.startsWith("/_cluster/state/")) {
      return json(state());
    }
    return json(
        switch (path) {
          case "/_cluster/settings" ->
              Map.<String, Object>of(
                  "persistent",
                  settings,
                  "transient",
                  Map.of(),
                  "defaults",
                  Map.of("cluster.routing.allocation.disk.threshold_enabled", "false"));
          case "/_cluster/health" ->
              Map.<String, Object>of("status", health, "relocating_shards", relocatingShards);
          case "/_nodes/_all/_none" -> Map.<String, Object>of("nodes", details());
          default -> Map.<String, Object>of();
        });
  }

  /** Runs the next action for a call, if there is one; then the call is to be rejected. */
  private static boolean reject(Queue<Runnable> actions) {
    Runnable action = actions.poll();
    if (action != null) {
      action.run();
    }
    return action != null;
  }

  private Answer changed(String call) {
    changes.add(call);
    afterChange.run();
    return new Answer(changes.size() == lastChange ? STOPPED : 200, "{}");
  }

  private Answer weigh(String path, String query) {
    String[] parts = path.split("/", -1);
    String key = WEIGHT + parts[2];
    switch (parts[3]) {
      case "drain" -> settings.put(key, "0");
      case "restore" -> settings.put(key, "1 from 0 since 2026-01-31T12:00:00Z over 1s");
      default -> {
        String weight = query.replace("weight=", "");
        if (weight.equals("1.0")) {
          settings.remove(key);
        } else {
          settings.put(key, weight);
        }
      }
    }
    return changed("POST " + path);
  }

  private static Answer json(Map<String, Object> tree) {
    return new Answer(200, new JsonTextWriter(JsonTextWriter.Layout.COMPACT).tree(tree).finish());
  }

  private List<Map<String, Object>> rows() {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (String node : NODES) {
      String set = settings.getOrDefault(WEIGHT + node, "1");
      double weight = Double.parseDouble(set.split(" ", -1)[0]);
      rows.add(
          Map.of(
              "name",
              node,
              "in_cluster",
              true,
              "weight",
              weight,
              "state",
              weight == 0 ? "drained" : "full"));
    }
    return rows;
  }

  private static Map<String, Object> details() {
    Map<String, Object> details = new LinkedHashMap<>();
    for (String node : NODES) {
      details.put(
          "id-" + node,
          Map.of(
              "name",
              node,
              "host",
              "127.0.0.1",
              "roles",
              List.of("data", "cluster_manager"),
              "attributes",
              Map.of("zone", node.equals("c") ? "2" : "1")));
    }
    return details;
  }

  private Map<String, Object> state() {
    Map<String, Object> nodes = new LinkedHashMap<>();
    for (String node : NODES) {
      if (!away.contains(node)) {
        nodes.put(
            "id-" + node,
            Map.of("name", node, "ephemeral_id", node + starts.getOrDefault(node, 0)));
      }
    }
    Map<String, Object> routing = new LinkedHashMap<>();
    copies.forEach((index, holders) ->
        routing.put(
            index,
            Map.of(
                "shards",
                Map.of(
                    "0",
                    holders.stream()
                        .map(node -> Map.of("state", "STARTED", "node", "id-" + node))
                        .toList()))));
    Map<String, Object> metadata = new LinkedHashMap<>();
    writeWaits.forEach((index, wait) ->
        metadata.put(
            index,
            Map.of(
                "settings",
                Map.of("index", Map.of("write", Map.of("wait_for_active_shards", wait))))));
    return Map.of(
        "cluster_manager_node",
        "id-c",
        "nodes",
        nodes,
        "metadata",
        Map.of(
            "cluster_coordination",
            Map.of("last_committed_config", List.of("id-c")),
            "indices",
            metadata),
        "routing_table",
        Map.of("indices", routing),
        "snapshots",
        Map.of("snapshots", snapshots.stream().map(name -> Map.of("snapshot", name)).toList()));
  }
}
