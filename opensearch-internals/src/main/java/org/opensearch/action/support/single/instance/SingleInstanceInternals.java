package org.opensearch.action.support.single.instance;

import org.jspecify.annotations.NullMarked;
import org.opensearch.core.index.shard.ShardId;

/** Gives access to the package-private parts of OpenSearch's single-instance classes. */
@NullMarked
public final class SingleInstanceInternals {
  private SingleInstanceInternals() {}

  /** Sets the index that a request was resolved to. */
  public static void setConcreteIndex(InstanceShardOperationRequest<?> request, String index) {
    request.concreteIndex(index);
  }

  /** Sets the shard of a request. */
  public static void setShard(InstanceShardOperationRequest<?> request, ShardId shard) {
    request.shardId = shard;
  }
}
