package dev.weir.node.columns;

import dev.weir.node.capability.NodeFeature;
import java.util.Collection;
import java.util.List;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.index.IndexModule;
import org.opensearch.plugins.ActionPlugin.ActionHandler;
import org.opensearch.threadpool.ThreadPool;

/** Fetches as columns of doc values, the capability {@code column-fetch}. */
public final class ColumnFetchFeature implements NodeFeature {
  private final ColumnFetchListener listener = new ColumnFetchListener();

  /** Makes the feature; the plugin does. */
  public ColumnFetchFeature() {}

  @Override
  public String capability() {
    return "column-fetch";
  }

  @Override
  public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> actions() {
    return List.of(
        new ActionHandler<>(ColumnFetchAction.INSTANCE, TransportColumnFetchAction.class));
  }

  @Override
  public Collection<Object> start(ClusterService clusterService, ThreadPool threadPool) {
    return List.of();
  }

  /** Has fetches of an index read columns where a gateway asks for them. */
  public void observe(IndexModule index) {
    index.addSearchOperationListener(listener);
  }
}
