package dev.weir.core.actions;

import dev.weir.core.coordinate.NodeSender;
import org.opensearch.action.bulk.BulkShardResponse;

/**
 * Reads the load that a primary's node sends with its answer to a shard-level bulk, from 3.6 on.
 * The class fills in its defaults for an older node; both defaults at once are taken for that. A
 * rejected bulk says -1, which is passed on as not known.
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
