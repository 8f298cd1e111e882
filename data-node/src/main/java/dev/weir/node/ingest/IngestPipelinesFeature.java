package dev.weir.node.ingest;

import dev.weir.node.capability.NodeFeature;
import java.util.Collection;
import java.util.List;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.plugins.ActionPlugin.ActionHandler;
import org.opensearch.threadpool.ThreadPool;

/**
 * Ingest pipelines whose documents go back to the gateway, the capability {@code ingest-pipelines}.
 */
public final class IngestPipelinesFeature implements NodeFeature {
  /** Makes the feature; the plugin does. */
  public IngestPipelinesFeature() {}

  @Override
  public String capability() {
    return "ingest-pipelines";
  }

  @Override
  public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> actions() {
    return List.of(
        new ActionHandler<>(RunPipelinesAction.INSTANCE, TransportRunPipelinesAction.class));
  }

  @Override
  public Collection<Object> start(ClusterService clusterService, ThreadPool threadPool) {
    return List.of();
  }
}
