package dev.weir.node.ingest;

import java.util.List;
import java.util.SortedMap;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.support.ActionFilters;
import org.opensearch.action.support.HandledTransportAction;
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.inject.Inject;
import org.opensearch.common.lease.Releasable;
import org.opensearch.core.action.ActionListener;
import org.opensearch.index.IndexingPressureService;
import org.opensearch.indices.SystemIndices;
import org.opensearch.ingest.IngestService;
import org.opensearch.tasks.Task;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportService;

/**
 * Answers {@link RunPipelinesAction}. The items count as coordinating bytes against the node's
 * indexing pressure until the response is written, as those of a bulk do.
 */
public final class TransportRunPipelinesAction
    extends HandledTransportAction<RunPipelinesRequest, RunPipelinesResponse> {
  private final PipelineRun.Services services;
  private final IndexingPressureService pressure;
  private final SystemIndices systemIndices;

  /** Registers the action; OpenSearch calls it. */
  @Inject
  public TransportRunPipelinesAction(
      TransportService transportService,
      ActionFilters filters,
      IngestService ingest,
      ClusterService cluster,
      IndexingPressureService pressure,
      SystemIndices systemIndices) {
    super(
        RunPipelinesAction.NAME,
        transportService,
        filters,
        RunPipelinesRequest::new,
        ThreadPool.Names.SAME);
    this.services = new PipelineRun.Services(ingest, cluster, transportService.getThreadPool());
    this.pressure = pressure;
    this.systemIndices = systemIndices;
  }

  @Override
  protected void doExecute(
      Task task, RunPipelinesRequest request, ActionListener<RunPipelinesResponse> listener) {
    boolean onlySystem = concernsSystemIndicesOnly(request.items());
    Releasable held = pressure.markCoordinatingOperationStarted(request::ramBytesUsed, onlySystem);
    ActionListener<RunPipelinesResponse> releasing = ActionListener.runAfter(listener, held::close);
    try {
      new PipelineRun(
              services,
              onlySystem ? ThreadPool.Names.SYSTEM_WRITE : ThreadPool.Names.WRITE,
              request.items(),
              releasing)
          .start();
    } catch (RuntimeException failure) {
      releasing.onFailure(failure);
    }
  }

  private boolean concernsSystemIndicesOnly(List<DocWriteRequest<?>> items) {
    SortedMap<String, IndexAbstraction> lookup =
        services.cluster().state().metadata().getIndicesLookup();
    return items.stream()
        .map(DocWriteRequest::index)
        .distinct()
        .allMatch(name -> {
          IndexAbstraction found = lookup.get(name);
          return found == null ? systemIndices.isSystemIndex(name) : found.isSystem();
        });
  }
}
