package dev.weir.node.state;

import dev.weir.node.capability.NodeFeature;
import java.util.Collection;
import java.util.List;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.plugins.ActionPlugin.ActionHandler;
import org.opensearch.threadpool.ThreadPool;

/** Cluster states by their changes, the capability {@code cluster-state-diffs}. */
public final class StateDiffFeature implements NodeFeature {
  /** Makes the feature; the plugin does. */
  public StateDiffFeature() {}

  @Override
  public String capability() {
    return "cluster-state-diffs";
  }

  @Override
  public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> actions() {
    return List.of(new ActionHandler<>(StateDiffAction.INSTANCE, TransportStateDiffAction.class));
  }

  @Override
  public Collection<Object> start(ClusterService clusterService, ThreadPool threadPool) {
    StateChangeLog log = new StateChangeLog(threadPool);
    clusterService.addListener(log);
    return List.of(log);
  }
}
