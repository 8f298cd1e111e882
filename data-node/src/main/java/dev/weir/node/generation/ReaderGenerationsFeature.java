package dev.weir.node.generation;

import dev.weir.node.capability.NodeFeature;
import java.util.Collection;
import java.util.List;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.plugins.ActionPlugin.ActionHandler;
import org.opensearch.threadpool.ThreadPool;

/** Generations of readers, the capability {@code reader-generations}. */
public final class ReaderGenerationsFeature implements NodeFeature {
  /** Makes the feature; the plugin does. */
  public ReaderGenerationsFeature() {}

  @Override
  public String capability() {
    return "reader-generations";
  }

  @Override
  public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> actions() {
    return List.of(
        new ActionHandler<>(
            ReaderGenerationsAction.INSTANCE, TransportReaderGenerationsAction.class));
  }

  @Override
  public Collection<Object> start(ClusterService clusterService, ThreadPool threadPool) {
    return List.of(new ReaderNumbers());
  }
}
