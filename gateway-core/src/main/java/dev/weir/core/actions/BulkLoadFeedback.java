package dev.weir.core.actions;

import dev.weir.core.coordinate.NodeSender;
import org.opensearch.action.bulk.BulkShardResponse;

/**
 * Reads the load that a primary's node reports with its reply to a shard-level bulk, from
 * OpenSearch 3.6 on. For older nodes the class fills in two defaults; both at once count as not
 * reported. A rejected bulk reports -1, which is passed on as unknown.
 */
enum BulkLoadFeedback implements NodeSender.LoadFeedback<BulkShardResponse> {
  INSTANCE;

  private static boolean isUnknown(BulkShardResponse reply) {
    return reply.getNodeQueueSize() == BulkShardResponse.DEFAULT_QUEUE_SIZE
        && reply.getServiceTimeEWMAInNanos() == BulkShardResponse.DEFAULT_SERVICE_TIME_IN_NANOS;
  }

  @Override
  public int queueSize(BulkShardResponse reply) {
    return isUnknown(reply) ? -1 : reply.getNodeQueueSize();
  }

  @Override
  public long serviceTimeNanos(BulkShardResponse reply) {
    return isUnknown(reply) ? -1 : reply.getServiceTimeEWMAInNanos();
  }
}
