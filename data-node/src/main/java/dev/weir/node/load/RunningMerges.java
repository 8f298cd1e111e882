package dev.weir.node.load;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.shard.IndexEventListener;
import org.opensearch.index.shard.IndexShard;

/** Counts the merges that run in the shards of this node. Safe on any thread. */
final class RunningMerges implements IndexEventListener, IntSupplier {
  private final Set<IndexShard> shards = ConcurrentHashMap.newKeySet();

  @Override
  public void afterIndexShardCreated(IndexShard shard) {
    shards.add(shard);
  }

  @Override
  public void afterIndexShardClosed(ShardId id, @Nullable IndexShard shard, Settings settings) {
    if (shard != null) {
      shards.remove(shard);
    }
  }

  @Override
  public int getAsInt() {
    long running = 0;
    for (IndexShard shard : shards) {
      running += shard.mergeStats().getCurrent();
    }
    return (int) running;
  }
}
