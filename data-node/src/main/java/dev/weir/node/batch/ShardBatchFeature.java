package dev.weir.node.batch;

import dev.weir.node.capability.NodeFeature;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.lifecycle.LifecycleComponent;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.plugins.ActionPlugin.ActionHandler;
import org.opensearch.threadpool.ThreadPool;

/** One message to a node for several of its shards, the capability {@code shard-batches}. */
public final class ShardBatchFeature implements NodeFeature {
  /** Makes the feature; the plugin does. */
  public ShardBatchFeature() {}

  /** Returns the names of the transport actions that answer with results of several requests. */
  public static Set<String> actionNames() {
    return Set.of(
        ShardBatchService.ACTION,
        ShardBatchService.REDUCED_ACTION,
        ShardBatchService.MERGED_ACTION,
        ShardBatchService.NEXT_ACTION);
  }

  @Override
  public String capability() {
    return "shard-batches";
  }

  /** Returns none: batches are handled below the actions, as requests to shards are. */
  @Override
  public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> actions() {
    return List.of();
  }

  @Override
  public Collection<Object> start(ClusterService clusterService, ThreadPool threadPool) {
    return List.of();
  }

  @Override
  public Collection<Class<? extends LifecycleComponent>> services() {
    return List.of(ShardBatchService.class);
  }
}
