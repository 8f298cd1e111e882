package dev.weir.it.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A hundred shards on three nodes meet the same new field at once, while the cluster manager's
 * process is stopped. All their mapping updates are under way when it goes on.
 */
@Drawn(oneIn = 3)
class MappingStormIT {
  private static final int SHARDS = 100;
  private static final int DOCUMENTS = 1500;
  private static final String INDEX = "storm";
  private static final String ACTION = "indices:admin/mapping/auto_put";

  /** The cluster manager logs its tasks, more than once each. */
  private static final Pattern TASK = Pattern.compile("PutMappingClusterStateUpdateRequest@\\w+");

  private static final Pattern RECEIVED =
      Pattern.compile(Pattern.quote("[" + ACTION + "] received request"));

  /**
   * What a storm took.
   *
   * @param requests updates that other nodes sent to the cluster manager
   * @param tasks updates that the cluster manager worked on
   * @param changes versions that the mapping of the index went through
   */
  private record Storm(long requests, long tasks, long changes) {}

  @Test
  void putIdenticalUpdatesToTheClusterManagerOnce() throws Exception {
    PluginPlacements.assumeOnAllNodes();
    DataNodeCluster nodes = SharedCluster.get();
    try {
      Storm storm = run(nodes);

      // one of each other node; a shard that sees the new mapping late may ask once more
      assertThat(storm.requests()).as("%s", storm).isBetween(2L, 8L);
      assertThat(storm.tasks()).as("%s", storm).isBetween(1L, 8L);
      assertThat(storm.changes()).isEqualTo(1);
    } finally {
      nodes.restore();
    }
  }

  @Test
  void compareWithNodesThatLackThePlugin() throws Exception {
    Storm storm = run(StockNodes.get());

    assertThat(storm.requests()).as("one of each shard on another node").isGreaterThan(60);
    // shards on the manager itself may see the new mapping before they ask
    assertThat(storm.tasks())
        .as("one of each request, %s", storm)
        .isGreaterThanOrEqualTo(storm.requests());
    assertThat(storm.changes()).isEqualTo(1);
  }

  private static Storm run(DataNodeCluster nodes) throws IOException {
    String id =
        JsonResponse.of(nodes.rest().send("GET", "/_cluster/state/cluster_manager_node"))
            .text("cluster_manager_node");
    DataNode manager = nodes.nodes().stream().filter(n -> n.id().equals(id)).findFirst().get();
    List<DataNode> others = nodes.nodes().stream().filter(n -> n != manager).toList();
    Path log = manager.log();
    try (RestClient rest = new RestClient(others.getFirst().httpUri())) {
      create(rest);
      long before = mappingVersion(rest);
      long begin = Files.size(log);

      manager.freeze();
      CompletableFuture<RestReply> bulk =
          CompletableFuture.supplyAsync(
              () -> rest.bulk("/" + INDEX + "/_bulk", documents().getBytes(UTF_8)).orThrow());
      for (DataNode other : others) {
        awaitUpdates(other);
      }
      manager.resume();

      assertThat(bulk.join().body()).contains("\"errors\":false");
      rest.send("POST", "/" + INDEX + "/_refresh").orThrow();
      assertThat(
              JsonResponse.of(rest.send("GET", "/" + INDEX + "/_count?q=fresh:7")).number("count"))
          .isEqualTo(DOCUMENTS);
      String text = logged(log, begin);
      return new Storm(
          RECEIVED.matcher(text).results().count(),
          TASK.matcher(text).results().map(MatchResult::group).distinct().count(),
          mappingVersion(rest) - before);
    } finally {
      manager.resume();
      nodes.rest().send("DELETE", "/" + INDEX).orThrow();
      settings(nodes.rest(), "null", "null", "null", "null");
    }
  }

  private static void create(RestClient rest) {
    settings(rest, "1000", "\"DEBUG\"", "\"TRACE\"", "\"" + ACTION + "\"");
    rest.send(
            "PUT",
            "/" + INDEX + "?wait_for_active_shards=all",
            """
            {"settings": {"number_of_shards": %d, "number_of_replicas": 0},
             "mappings": {"properties": {"n": {"type": "long"}}}}
            """
                .formatted(SHARDS))
        .orThrow();
  }

  private static void settings(
      RestClient rest, String inFlight, String service, String tracer, String traced) {
    rest.send(
            "PUT",
            "/_cluster/settings",
            """
            {"transient": {"indices.mapping.max_in_flight_updates": %s,
              "logger.org.opensearch.cluster.service": %s,
              "logger.org.opensearch.transport.TransportService.tracer": %s,
              "transport.tracer.include": %s}}
            """
                .formatted(inFlight, service, tracer, traced))
        .orThrow();
  }

  private static String documents() {
    return IntStream.range(0, DOCUMENTS)
        .mapToObj(n -> "{\"index\":{\"_id\":\"" + n + "\"}}\n{\"n\":" + n + ",\"fresh\":7}\n")
        .collect(Collectors.joining());
  }

  /** Waits until each shard of a node has an update under way. */
  private static void awaitUpdates(DataNode node) {
    try (RestClient rest = new RestClient(node.httpUri())) {
      Await.untilValue(
          "updates under way on " + node,
          () ->
              JsonResponse.of(
                      rest.send("GET", "/_tasks?nodes=_local&group_by=none&actions=" + ACTION))
                  .objects("tasks")
                  .size(),
          tasks -> tasks >= SHARDS / 3);
    }
  }

  private static long mappingVersion(RestClient rest) {
    return JsonResponse.of(rest.send("GET", "/_cluster/state/metadata/" + INDEX))
        .number("metadata.indices." + INDEX + ".mapping_version");
  }

  private static String logged(Path log, long begin) throws IOException {
    byte[] all = Files.readAllBytes(log);
    return new String(all, (int) begin, (int) (all.length - begin), UTF_8);
  }
}
