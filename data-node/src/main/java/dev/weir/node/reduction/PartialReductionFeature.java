package dev.weir.node.reduction;

import dev.weir.node.capability.NodeFeature;
import java.util.Collection;
import java.util.List;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.plugins.ActionPlugin.ActionHandler;
import org.opensearch.threadpool.ThreadPool;

/**
 * Results of several shards without the hits that can't be in the response, the capability {@code
 * partial-reduction}.
 */
public final class PartialReductionFeature implements NodeFeature {
  /** Makes the feature; the plugin does. */
  public PartialReductionFeature() {}

  @Override
  public String capability() {
    return "partial-reduction";
  }

  /** Returns none: the action is one of batches, which are handled below the actions. */
  @Override
  public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> actions() {
    return List.of();
  }

  @Override
  public Collection<Object> start(ClusterService clusterService, ThreadPool threadPool) {
    return List.of();
  }
}
