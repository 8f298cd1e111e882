package dev.weir.node.batch;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.opensearch.OpenSearchException;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.common.inject.Inject;
import org.opensearch.common.lifecycle.AbstractLifecycleComponent;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
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

  /** How long results are kept for a gateway that does not ask for them. */
  private static final TimeValue MAX_UNASKED = TimeValue.timeValueSeconds(30);

  private final TransportService transport;
  private final Consumer<ShardSearchContextId> contexts;
  private final NamedWriteableRegistry writeables;
  private final HeldAggregations held;
  private final Map<Long, ShardBatch> kept = new ConcurrentHashMap<>();
  private volatile boolean isClosed;

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
        NEXT_ACTION, ThreadPool.Names.SAME, true, false, NextResultsRequest::new, this::next);
  }

  private void start(ShardBatchRequest request, TransportChannel channel, Task task) {
    ShardBatch batch = new ShardBatch(transport, this, request, channel.getVersion());
    batch.await(channel, (ShardBatchTask) task);
    batch.start();
  }

  private void next(NextResultsRequest request, TransportChannel channel, Task task)
      throws Exception {
    if (!request.isWanted()) {
      discard(request.batch());
      channel.sendResponse(TransportResponse.Empty.INSTANCE);
      return;
    }
    ShardBatch batch = kept.remove(request.batch());
    if (batch == null) {
      throw new OpenSearchException(
          "got batch {} (expected: one with more results, asked for within {})",
          request.batch(),
          MAX_UNASKED);
    }
    batch.await(channel, (ShardBatchTask) task);
  }

  /**
   * Keeps a batch for a request for more results, for a while.
   *
   * @return its id
   */
  long keep(ShardBatch batch) {
    long id;
    do {
      id = ThreadLocalRandom.current().nextLong();
    } while (kept.putIfAbsent(id, batch) != null);
    long named = id;
    try {
      transport
          .getThreadPool()
          .schedule(() -> discard(named), MAX_UNASKED, ThreadPool.Names.GENERIC);
    } catch (OpenSearchRejectedExecutionException closing) {
      discard(id);
    }
    if (isClosed) {
      discard(id);
    }
    return id;
  }

  /** Returns what reads formats of values. */
  NamedWriteableRegistry writeables() {
    return writeables;
  }

  /** Returns what accounts for aggregations that wait. */
  HeldAggregations held() {
    return held;
  }

  /** Frees the search context of a query whose result nobody gets. */
  void freeContext(ShardSearchContextId context) {
    contexts.accept(context);
  }

  private void discard(long id) {
    ShardBatch unasked = kept.remove(id);
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
    isClosed = true;
    List.copyOf(kept.keySet()).forEach(this::discard);
  }
}
