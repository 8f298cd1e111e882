package org.opensearch.action.support.single.shard;

import org.jspecify.annotations.NullMarked;
import org.opensearch.core.index.shard.ShardId;

/** The way to what OpenSearch's single-shard classes keep in their package. */
@NullMarked
public final class SingleShardInternals {
  private SingleShardInternals() {}

  /** Says which shard a request is for. */
  public static void setShard(SingleShardRequest<?> request, ShardId shard) {
    request.internalShardId = shard;
  }
}
