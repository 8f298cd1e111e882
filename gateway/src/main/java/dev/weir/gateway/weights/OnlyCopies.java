package dev.weir.gateway.weights;

import dev.weir.cluster.ClusterView;
import dev.weir.routing.weight.NodeWeights;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.ShardRouting;

/**
 * The shards that only one node can answer for: their requests go to it, drained or not.
 *
 * @param count of shards
 * @param examples some of them, such as {@code products[2]}
 */
record OnlyCopies(int count, List<String> examples) {
  private static final int MAX_EXAMPLES = 10;

  /** Finds the shards whose only started copy is on this node, or whose others are drained. */
  static OnlyCopies of(String nodeId, ClusterView view, NodeWeights weights) {
    int count = 0;
    List<String> examples = new ArrayList<>();
    for (IndexRoutingTable index : view.state().routingTable()) {
      for (IndexShardRoutingTable shard : index) {
        boolean here = false;
        boolean elsewhere = false;
        for (ShardRouting copy : shard.activeShards()) {
          if (nodeId.equals(copy.currentNodeId())) {
            here = true;
          } else if (copy.currentNodeId() != null && !weights.isDrained(copy.currentNodeId())) {
            elsewhere = true;
          }
        }
        if (here && !elsewhere) {
          count++;
          if (examples.size() < MAX_EXAMPLES) {
            examples.add(shard.shardId().getIndexName() + "[" + shard.shardId().id() + "]");
          }
        }
      }
    }
    return new OnlyCopies(count, List.copyOf(examples));
  }

  Map<String, Object> toMap() {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("count", count);
    body.put("examples", examples);
    return body;
  }
}
