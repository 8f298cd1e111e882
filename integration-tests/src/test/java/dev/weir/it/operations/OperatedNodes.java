package dev.weir.it.operations;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.GatewayChildProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Nodes of their own behind a gateway, three if nothing else is said, and a command that restarts
 * one.
 */
final class OperatedNodes implements AutoCloseable {
  /** Longer than a restart of all nodes takes, on a slow machine. */
  private static final long COMMAND_MINUTES = 20;

  private final Path folder;
  private final DataNodeCluster cluster;
  private final TestBed bed;
  private final Path config;
  private final AtomicInteger outputs = new AtomicInteger();
  private final NodeRestarter restarter;

  OperatedNodes(Path folder) throws IOException {
    this(folder, ClusterSpec.ofNodes(3));
  }

  OperatedNodes(Path folder, ClusterSpec spec) throws IOException {
    this.folder = folder;
    this.cluster = DataNodeCluster.start(spec);
    this.bed = TestBed.inFrontOf(cluster.seeds());
    this.config = folder.resolve("weir.yaml");
    Files.writeString(
        config,
        "clusters: {main: {seeds: [%s]}}\n"
            .formatted(
                cluster.seeds().stream()
                    .map(seed -> '"' + seed + '"')
                    .collect(Collectors.joining(", "))));
    this.restarter = new NodeRestarter(folder, this::nodes);
  }

  List<DataNode> nodes() {
    return cluster.nodes();
  }

  DataNodeCluster cluster() {
    return cluster;
  }

  TestBed bed() {
    return bed;
  }

  String restartCommand() {
    return restarter.command();
  }

  NodeRestarter restarter() {
    return restarter;
  }

  Path folder() {
    return folder;
  }

  /** The names of nodes, one for each run of the restart command. */
  List<String> runs() throws IOException {
    return restarter.runs();
  }

  /** Creates an index with documents {@code base-0} and so on. */
  void createIndex(String index, int replicas, int documents) {
    cluster
        .rest()
        .send(
            "PUT",
            "/" + index + "?wait_for_active_shards=1",
            "{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":" + replicas + "}}")
        .orThrow();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < documents; i++) {
      lines.append("{\"index\":{\"_id\":\"base-%d\"}}\n{\"n\":%d}\n".formatted(i, i));
    }
    if (documents > 0) {
      cluster
          .rest()
          .bulk(
              "/" + index + "/_bulk?refresh=true",
              lines.toString().getBytes(StandardCharsets.UTF_8))
          .orThrow();
    }
  }

  /** What an ended command left. */
  record Ended(int status, String output) {}

  Ended run(String... command) throws IOException {
    Path log = folder.resolve("command-" + outputs.incrementAndGet() + ".log");
    int status;
    try (GatewayChildProcess process = GatewayChildProcess.startCommand(log, arguments(command))) {
      status = process.exitCode().orTimeout(COMMAND_MINUTES, TimeUnit.MINUTES).join();
    }
    return new Ended(status, Files.exists(log) ? Files.readString(log) : "");
  }

  GatewayChildProcess start(String... command) {
    Path log = folder.resolve("command-" + outputs.incrementAndGet() + ".log");
    return GatewayChildProcess.startCommand(log, arguments(command));
  }

  private String[] arguments(String... command) {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(
        List.of(
            "--config",
            config.toString(),
            "--gateway",
            bed.uri().toString(),
            "--admin",
            bed.admin().base().toString()));
    return all.toArray(String[]::new);
  }

  /** All settings of the cluster, the weights and a journal among them. */
  String settings() {
    return bed.rest().send("GET", "/_cluster/settings?flat_settings=true").orThrow().body();
  }

  String manager() {
    Map<String, Object> state =
        JsonResponse.of(
                bed.rest()
                    .send(
                        "GET",
                        "/_cluster/state/cluster_manager_node,nodes?filter_path=cluster_manager_node,nodes.*.name")
                    .orThrow())
            .body();
    return new JsonResponse(200, state)
        .text("nodes." + state.get("cluster_manager_node") + ".name");
  }

  /** What changes with each start of a node, by its name. */
  Map<String, String> ephemeralIds() {
    JsonResponse state =
        JsonResponse.of(
            bed.rest()
                .send("GET", "/_cluster/state/nodes?filter_path=nodes.*.name,nodes.*.ephemeral_id")
                .orThrow());
    Map<String, String> ids = new TreeMap<>();
    for (DataNode node : nodes()) {
      ids.put(node.name(), state.text("nodes." + node.id() + ".ephemeral_id"));
    }
    return ids;
  }

  boolean hasVotingExclusions() {
    return bed.rest()
        .send(
            "GET",
            "/_cluster/state/metadata?filter_path=metadata.cluster_coordination.voting_config_exclusions")
        .orThrow()
        .body()
        .contains("node_name");
  }

  /** Waits until the gateway gives every node its full share. */
  void assertFullWeights() {
    Await.untilValue(
        "full nodes",
        () ->
            JsonResponse.of(bed.admin().send("GET", "/nodes").orThrow()).objects("nodes").stream()
                .filter(row -> "full".equals(row.get("state")))
                .count(),
        count -> count == nodes().size());
  }

  @Override
  public void close() {
    restarter.close();
    bed.close();
    cluster.close();
  }
}
