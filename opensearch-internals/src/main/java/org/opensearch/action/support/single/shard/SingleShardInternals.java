package org.opensearch.action.support.single.shard;

import org.jspecify.annotations.NullMarked;
import org.opensearch.core.index.shard.ShardId;

/** Gives access to the package-private parts of OpenSearch's single-shard classes. */
@NullMarked
public final class SingleShardInternals {
  private SingleShardInternals() {}

  /** Sets the shard of a request. */
  public static void setShard(SingleShardRequest<?> request, ShardId shard) {
    request.internalShardId = shard;
  }
}
