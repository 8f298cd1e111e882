package dev.weir.core.reduce.round;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchException;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.WeightedRoutingMetadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.OperationRouting;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.cluster.routing.WeightedRoutingUtils;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;

/**
 * The copies that must not be tried after a failure because their zone is weighted away, as in
 * OpenSearch's {@code FailAwareWeightedRouting}.
 */
final class WeightedAwayCopies {
  private static final Set<RestStatus> INTERNAL_FAILURES =
      EnumSet.of(
          RestStatus.INTERNAL_SERVER_ERROR,
          RestStatus.BAD_GATEWAY,
          RestStatus.SERVICE_UNAVAILABLE,
          RestStatus.GATEWAY_TIMEOUT);

  private WeightedAwayCopies() {}

  static boolean shouldSkip(ClusterState state, ShardId shard, String nodeId, Exception failure) {
    WeightedRoutingMetadata weights = state.metadata().weightedRoutingMetadata();
    if (weights == null
        || OperationRouting.IGNORE_WEIGHTED_SHARD_ROUTING.get(state.metadata().settings())
        || !hasZone(state.nodes().get(nodeId), weights.getWeightedRouting().attributeName())
        || !WeightedRoutingUtils.isWeighedAway(nodeId, state)) {
      return false;
    }
    if (failure instanceof OpenSearchException known
        && INTERNAL_FAILURES.contains(known.status())) {
      return false;
    }
    IndexShardRoutingTable copies = state.routingTable().shardRoutingTable(shard);
    return copies.size() > 1 && copies.shards().stream().allMatch(ShardRouting::active);
  }

  /** OpenSearch's own check fails for a node without the attribute: such a node has no zone. */
  private static boolean hasZone(@Nullable DiscoveryNode node, @Nullable String attribute) {
    return node != null && attribute != null && node.getAttributes().get(attribute) != null;
  }
}
