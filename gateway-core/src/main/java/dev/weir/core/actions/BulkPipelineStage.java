package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.core.actions.ingest.PipelineOperation;
import dev.weir.core.actions.ingest.PipelineResults;
import dev.weir.core.coordinate.write.WriteStep;
import dev.weir.core.reduce.items.BulkResponseCollector;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.PassThroughReasons;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.UpdateRequest;

/**
 * The ingest pipelines of one bulk, before anything else happens to it: has a node run them, and
 * puts the items that come back in the place of the client's. Confined to the request's event loop.
 *
 * <pre>
 *   plan --no pipelines--> plan again until the bulk is sent
 *        --pipelines--> the node runs them --results--> done
 *                                          --none--> the bulk passes through
 * </pre>
 */
final class BulkPipelineStage {
  private final DocumentActionServices tools;
  private final BulkResponseCollector items;
  private final RequestContext context;
  private final Duration timeout;
  private final boolean isSingleDocument;
  private final List<Integer> slots = new ArrayList<>(0);
  private @Nullable PipelineOperation operation;
  private boolean isResolved;
  private boolean isDone;

  /**
   * Prepares the pipelines of a bulk.
   *
   * @param timeout how long they may wait for room on a node
   * @param isSingleDocument whether the client asked for one document: it passes through
   */
  BulkPipelineStage(
      DocumentActionServices tools,
      BulkResponseCollector items,
      RequestContext context,
      Duration timeout,
      boolean isSingleDocument) {
    this.tools = tools;
    this.items = items;
    this.context = context;
    this.timeout = timeout;
    this.isSingleDocument = isSingleDocument;
  }

  /**
   * Returns the step that runs the pipelines; null if there is nothing to run.
   *
   * @throws PassThroughException if a node must take the whole bulk
   */
  @Nullable WriteStep plan(ClusterView view) {
    if (isDone) {
      return null;
    }
    PipelineOperation asked = operation;
    if (asked != null) {
      PipelineResults results = asked.results();
      if (results == null) {
        tools.pipelines().recordFallback();
        throw new PassThroughException(PassThroughReasons.INGEST_PIPELINE);
      }
      isDone = true;
      take(results);
      return null;
    }
    List<DocWriteRequest<?>> found = resolve(view);
    if (found.isEmpty()) {
      isResolved = true;
      return null;
    }
    // items that were resolved before no longer say which pipeline the client asked for
    PipelineOperation prepared = isResolved ? null : prepare(found, view);
    if (prepared == null) {
      throw new PassThroughException(PassThroughReasons.INGEST_PIPELINE);
    }
    operation = prepared;
    return new WriteStep.RunFirst(List.of(prepared));
  }

  /** Returns the items that have pipelines, and marks the others. */
  private List<DocWriteRequest<?>> resolve(ClusterView view) {
    IngestPipelineResolver.RequestPipelines pass = tools.pipelineResolver().forRequest(view);
    List<DocWriteRequest<?>> found = new ArrayList<>(0);
    for (int slot = 0; slot < items.size(); slot++) {
      if (!items.hasResponse(slot) && pass.resolvePipeline(items.request(slot))) {
        slots.add(slot);
        found.add(items.request(slot));
      }
    }
    return found;
  }

  /** Where another cluster gets the client's documents, only a node may change them. */
  private @Nullable PipelineOperation prepare(List<DocWriteRequest<?>> found, ClusterView view) {
    return isSingleDocument || context.resources().areDocumentsReplicated()
        ? null
        : tools.pipelines().prepare(found, context, view, timeout);
  }

  private void take(PipelineResults results) {
    List<DocWriteRequest<?>> changed = new ArrayList<>(items.size());
    for (int slot = 0; slot < items.size(); slot++) {
      changed.add(items.request(slot));
    }
    for (int i = 0; i < slots.size(); i++) {
      int slot = slots.get(i);
      switch (results.items().get(i)) {
        case PipelineResults.Unchanged() -> markResolved(changed.get(slot));
        case PipelineResults.Changed(DocWriteRequest<?> item) -> changed.set(slot, item);
        case PipelineResults.Answered answered -> items.complete(answered.toResponse(slot));
      }
    }
    items.onIngested(changed, results.tookMillis());
  }

  private static void markResolved(DocWriteRequest<?> item) {
    switch (item) {
      case IndexRequest document -> IngestPipelineResolver.markResolved(document);
      case UpdateRequest update -> {
        if (update.upsertRequest() != null) {
          IngestPipelineResolver.markResolved(update.upsertRequest());
        }
        if (update.doc() != null) {
          IngestPipelineResolver.markResolved(update.doc());
        }
      }
      default -> {
        // a delete has no pipeline
      }
    }
  }
}
