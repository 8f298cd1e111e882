package dev.weir.node.bulk;

import dev.weir.node.results.KeptBatches;
import dev.weir.node.results.NextResultsRequest;
import java.io.IOException;
import org.opensearch.action.bulk.TransportShardBulkAction;
import org.opensearch.common.inject.Inject;
import org.opensearch.common.lifecycle.AbstractLifecycleComponent;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.tasks.Task;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportService;

/**
 * Receives batches, and keeps those with results that nobody has asked for yet. Its actions are
 * registered below the action filters, as those of shard requests are: the security plugin accepts
 * them from nodes of the cluster alone. Safe on any thread.
 */
public final class BulkBatchService extends AbstractLifecycleComponent {
  /** Starts a batch; the brackets mark a request to shards. */
  static final String ACTION = "indices:data/write/bulk[weir/batch]";

  /** Asks for more results of a batch. */
  static final String NEXT_ACTION = "indices:data/write/bulk[weir/batch/next]";

  /** What each part of a batch is: {@code indices:data/write/bulk[s]}. */
  static final String PART_ACTION = TransportShardBulkAction.ACTION_NAME;

  private final TransportService transport;
  private final KeptBatches<BulkBatch> kept;

  /** Registers the actions; OpenSearch calls it. */
  @Inject
  public BulkBatchService(TransportService transport) {
    this.transport = transport;
    this.kept = new KeptBatches<>(transport.getThreadPool(), BulkBatch::discard);
    transport.registerRequestHandler(
        ACTION,
        ThreadPool.Names.SAME,
        true,
        true,
        in -> new BulkBatchRequest(in, transport.getRequestHandler(PART_ACTION)),
        this::start);
    transport.registerRequestHandler(
        NEXT_ACTION, ThreadPool.Names.SAME, true, false, NextResultsRequest::new, this::next);
  }

  private void start(BulkBatchRequest request, TransportChannel channel, Task task) {
    request.parts().forEach(part -> part.remoteAddress(request.remoteAddress()));
    new BulkBatch(transport, kept, request, channel.getVersion()).start(request.parts(), channel);
  }

  private void next(NextResultsRequest request, TransportChannel channel, Task task)
      throws IOException {
    if (request.isWanted()) {
      kept.take(request.batch()).await(channel);
    } else {
      kept.discard(request.batch());
      channel.sendResponse(TransportResponse.Empty.INSTANCE);
    }
  }

  /** Returns the number of batches with results that nobody has asked for yet. */
  int keptBatches() {
    return kept.size();
  }

  @Override
  protected void doStart() {}

  @Override
  protected void doStop() {}

  @Override
  protected void doClose() {
    kept.close();
  }
}
