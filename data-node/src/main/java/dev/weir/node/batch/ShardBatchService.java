package dev.weir.node.batch;

import dev.weir.node.results.KeptBatches;
import java.io.IOException;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.common.inject.Inject;
import org.opensearch.common.lifecycle.AbstractLifecycleComponent;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.indices.breaker.CircuitBreakerService;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.search.SearchService;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.tasks.Task;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportService;

/**
 * Receives batches, and keeps those with results that nobody has asked for yet. Its actions are
 * registered below the action filters, as those of shard requests are: the security plugin accepts
 * them from nodes of the cluster alone. Safe on any thread.
 */
public final class ShardBatchService extends AbstractLifecycleComponent {
  /** Starts a batch; the brackets mark a request to shards. */
  static final String ACTION = "indices:data/read/search[weir/batch]";

  /** The same, with results of which hits by score may be left out. */
  static final String REDUCED_ACTION = "indices:data/read/search[weir/batch/reduced]";

  /** The same, with results of which more may be reduced. */
  static final String MERGED_ACTION = "indices:data/read/search[weir/batch/merged]";

  /** Asks for more results of a batch. */
  static final String NEXT_ACTION = "indices:data/read/search[weir/batch/next]";

  /** What a batch may contain. */
  static final Set<String> ACTIONS =
      Set.of(
          SearchTransportService.QUERY_CAN_MATCH_NAME,
          SearchTransportService.QUERY_ACTION_NAME,
          SearchTransportService.FETCH_ID_ACTION_NAME,
          SearchTransportService.FREE_CONTEXT_ACTION_NAME);

  private static final Logger LOG = LogManager.getLogger(ShardBatchService.class);

  private final TransportService transport;
  private final Consumer<ShardSearchContextId> contexts;
  private final NamedWriteableRegistry writeables;
  private final HeldAggregations held;
  private final KeptBatches<ShardBatch> kept;

  /** Registers the actions; OpenSearch calls it. */
  @Inject
  public ShardBatchService(
      TransportService transport,
      SearchService searches,
      NamedWriteableRegistry writeables,
      CircuitBreakerService breakers) {
    this(
        transport,
        searches::freeReaderContext,
        writeables,
        breakers.getBreaker(CircuitBreaker.REQUEST));
  }

  /**
   * Registers the actions.
   *
   * @param contexts frees a search context
   * @param writeables reads formats of values
   * @param breaker counts aggregations that wait for those of other shards
   */
  ShardBatchService(
      TransportService transport,
      Consumer<ShardSearchContextId> contexts,
      NamedWriteableRegistry writeables,
      CircuitBreaker breaker) {
    this.transport = transport;
    this.contexts = contexts;
    this.writeables = writeables;
    this.held = new HeldAggregations(breaker);
    this.kept = new KeptBatches<>(transport.getThreadPool(), ShardBatch::discard);
    transport.registerRequestHandler(
        ACTION,
        ThreadPool.Names.SAME,
        true,
        true,
        in -> new ShardBatchRequest(in, transport, null),
        this::start);
    transport.registerRequestHandler(
        REDUCED_ACTION,
        ThreadPool.Names.SAME,
        true,
        true,
        in -> new ShardBatchRequest(in, transport, ReductionLimits::readHits),
        this::start);
    transport.registerRequestHandler(
        MERGED_ACTION,
        ThreadPool.Names.SAME,
        true,
        true,
        in -> new ShardBatchRequest(in, transport, ReductionLimits::read),
        this::start);
    transport.registerRequestHandler(
        NEXT_ACTION, ThreadPool.Names.SAME, true, false, NextShardResultsRequest::new, this::next);
  }

  private void start(ShardBatchRequest request, TransportChannel channel, Task task) {
    ShardBatch batch = new ShardBatch(transport, this, request, channel.getVersion());
    batch.await(channel, (ShardBatchTask) task);
    batch.start();
  }

  private void next(NextShardResultsRequest request, TransportChannel channel, Task task)
      throws IOException {
    if (request.isWanted()) {
      kept.take(request.batch()).await(channel, (ShardBatchTask) task);
    } else {
      kept.discard(request.batch());
      channel.sendResponse(TransportResponse.Empty.INSTANCE);
    }
  }

  /**
   * Keeps a batch for a request for more results, for a while.
   *
   * @return its id
   */
  long keep(ShardBatch batch) {
    return kept.keep(batch);
  }

  /** Returns what reads formats of values. */
  NamedWriteableRegistry writeables() {
    return writeables;
  }

  /** Returns what accounts for aggregations that wait. */
  HeldAggregations held() {
    return held;
  }

  /**
   * Frees the search context of a query whose result nobody gets. One that can't be freed ends with
   * its keep-alive, and does not keep other results of the batch from the gateway.
   */
  void freeContext(ShardSearchContextId context) {
    try {
      contexts.accept(context);
    } catch (RuntimeException e) {
      LOG.warn("can't free search context [{}]", context.getId(), e);
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
