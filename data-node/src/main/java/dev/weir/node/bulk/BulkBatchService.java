package dev.weir.node.bulk;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.opensearch.OpenSearchException;
import org.opensearch.action.bulk.TransportShardBulkAction;
import org.opensearch.common.inject.Inject;
import org.opensearch.common.lifecycle.AbstractLifecycleComponent;
import org.opensearch.common.unit.TimeValue;
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

  /** How long results are kept for a gateway that does not ask for them. */
  private static final TimeValue MAX_UNASKED = TimeValue.timeValueSeconds(30);

  private final TransportService transport;
  private final Map<Long, BulkBatch> kept = new ConcurrentHashMap<>();

  /** Registers the actions; OpenSearch calls it. */
  @Inject
  public BulkBatchService(TransportService transport) {
    this.transport = transport;
    transport.registerRequestHandler(
        ACTION,
        ThreadPool.Names.SAME,
        true,
        true,
        in -> new BulkBatchRequest(in, transport.getRequestHandler(PART_ACTION)),
        this::start);
    transport.registerRequestHandler(
        NEXT_ACTION, ThreadPool.Names.SAME, true, false, NextBulkResultsRequest::new, this::next);
  }

  private void start(BulkBatchRequest request, TransportChannel channel, Task task) {
    new BulkBatch(transport, this, request, channel.getVersion()).start(channel);
  }

  private void next(NextBulkResultsRequest request, TransportChannel channel, Task task)
      throws Exception {
    BulkBatch batch = kept.remove(request.batch());
    if (!request.isWanted()) {
      if (batch != null) {
        batch.discard();
      }
      channel.sendResponse(TransportResponse.Empty.INSTANCE);
    } else if (batch == null) {
      throw new OpenSearchException(
          "got batch {} (expected: one with more results, asked for within {})",
          request.batch(),
          MAX_UNASKED);
    } else {
      batch.await(channel);
    }
  }

  /**
   * Keeps a batch for a request for more results, for a while.
   *
   * @return its id
   */
  long keep(BulkBatch batch) {
    long id;
    do {
      id = ThreadLocalRandom.current().nextLong();
    } while (kept.putIfAbsent(id, batch) != null);
    long named = id;
    transport.getThreadPool().schedule(() -> discard(named), MAX_UNASKED, ThreadPool.Names.GENERIC);
    return id;
  }

  private void discard(long id) {
    BulkBatch unasked = kept.remove(id);
    if (unasked != null) {
      unasked.discard();
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
    kept.clear();
  }
}
