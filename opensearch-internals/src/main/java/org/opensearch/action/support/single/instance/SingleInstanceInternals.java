package org.opensearch.action.support.single.instance;

import org.jspecify.annotations.NullMarked;
import org.opensearch.core.index.shard.ShardId;

/** The way to what OpenSearch's single-instance classes keep in their package. */
@NullMarked
public final class SingleInstanceInternals {
  private SingleInstanceInternals() {}

  /** Says which index a request was resolved to. */
  public static void setConcreteIndex(InstanceShardOperationRequest<?> request, String index) {
    request.concreteIndex(index);
  }

  /** Says which shard a request is for. */
  public static void setShard(InstanceShardOperationRequest<?> request, ShardId shard) {
    request.shardId = shard;
  }
}
