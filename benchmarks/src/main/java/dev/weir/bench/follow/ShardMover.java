package dev.weir.bench.follow;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Moves the shards of indices with one shard each from node to node, and sees on the new node when
 * a shard has moved. Confined to one thread.
 */
final class ShardMover {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofMillis(1);
  private static final String INDEX = "moving-";
  private static final int DOCUMENTS = 100;
  private static final Pattern ACTIVE =
      Pattern.compile("\"state\":\"(?:STARTED|RELOCATING)\",\"node\":\"([^\"]+)\"");

  private final DataNodeCluster cluster;
  private final List<DataNode> nodes;
  private final int indices;
  private int next;

  /**
   * A shard that has moved.
   *
   * @param nodeId the node that has it now
   * @param seenNanos when that node was seen to have it, {@link System#nanoTime()}
   */
  record MovedShard(String index, String nodeId, long seenNanos) {}

  ShardMover(DataNodeCluster cluster, List<DataNode> nodes, int indices) {
    this.cluster = cluster;
    this.nodes = nodes;
    this.indices = indices;
  }

  /** Creates the indices, each on one node, and keeps the cluster from moving them by itself. */
  void createIndices() {
    RestClient rest = cluster.rest();
    rest.send(
            "PUT",
            "/_cluster/settings",
            "{\"transient\":{\"cluster.routing.rebalance.enable\":\"none\"}}")
        .orThrow();
    StringBuilder documents = new StringBuilder();
    for (int i = 0; i < indices; i++) {
      rest.send(
              "PUT",
              "/" + INDEX + i + "?wait_for_active_shards=all",
              "{\"settings\":{\"number_of_shards\":1,\"number_of_replicas\":0}}")
          .orThrow();
      for (int document = 0; document < DOCUMENTS; document++) {
        documents.append("{\"index\":{\"_index\":\"").append(INDEX).append(i).append("\"}}\n");
        documents.append("{\"n\":").append(document).append("}\n");
      }
    }
    rest.bulk("/_bulk?refresh=true", documents.toString().getBytes(StandardCharsets.UTF_8))
        .orThrow();
  }

  /** Lets the cluster balance its shards again. */
  void restoreSettings() {
    cluster
        .rest()
        .send(
            "PUT",
            "/_cluster/settings",
            "{\"transient\":{\"cluster.routing.rebalance.enable\":null}}")
        .orThrow();
  }

  /** Moves the next shard, and waits until its new node has it. */
  MovedShard move() throws InterruptedException {
    String index = INDEX + next++ % indices;
    String from = owner(cluster.rest(), index);
    int at = 0;
    while (!nodes.get(at).id().equals(from)) {
      at++;
    }
    DataNode target = nodes.get((at + 1 + next % (nodes.size() - 1)) % nodes.size());
    String command =
        "{\"commands\":[{\"move\":{\"index\":\"%s\",\"shard\":0,\"from_node\":\"%s\",\"to_node\":\"%s\"}}]}"
            .formatted(index, from, target.id());
    cluster.rest().send("POST", "/_cluster/reroute?metric=none", command).orThrow();
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    try (RestClient rest = new RestClient(target.httpUri())) {
      while (!owner(rest, index).equals(target.id())) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException(index + " has not moved to " + target.id());
        }
        TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
      }
    }
    return new MovedShard(index, target.id(), System.nanoTime());
  }

  /** Returns the node with the started shard, as one node knows it; empty while there is none. */
  private static String owner(RestClient rest, String index) {
    String body =
        Objects.requireNonNull(
            rest.send(
                    "GET",
                    "/_cluster/state/routing_table/"
                        + index
                        + "?local=true&filter_path=**.shards.*.state,**.shards.*.node")
                .orThrow()
                .body());
    Matcher active = ACTIVE.matcher(body);
    return active.find() ? active.group(1) : "";
  }
}
