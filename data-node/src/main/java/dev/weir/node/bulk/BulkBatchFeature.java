package dev.weir.node.bulk;

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

/** One message to a node for the parts of a bulk, the capability {@code bulk-batches}. */
public final class BulkBatchFeature implements NodeFeature {
  /** Makes the feature; the plugin does. */
  public BulkBatchFeature() {}

  /** Returns the names of the transport actions that answer with results of several parts. */
  public static Set<String> actionNames() {
    return Set.of(BulkBatchService.ACTION, BulkBatchService.NEXT_ACTION);
  }

  @Override
  public String capability() {
    return "bulk-batches";
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
    return List.of(BulkBatchService.class);
  }
}
