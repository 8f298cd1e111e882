package dev.weir.node.batch;

import dev.weir.node.batch.ShardBatchRequest.BatchedRequest;
import dev.weir.node.batch.ShardBatchRequest.Entry;
import dev.weir.node.results.BatchTransport;
import dev.weir.node.results.ResponseHeaders;
import dev.weir.node.results.ResultWriter;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.tasks.CancellableTask;
import org.opensearch.tasks.TaskManager;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportException;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportService;

/**
 * The requests of a batch while they are carried out, and their results. Requests begin in order,
 * with a bound on those that run; none begins while as much waits as one response may have. A
 * response goes out once all results are there, or as many as one response may have, or when one
 * has waited for the others for long enough: at first a short time, and twice as long each time, so
 * that no result waits for longer than the batch has taken. Safe on any thread.
 */
final class ShardBatch {
  /** With so many, the ids of all search contexts are in the first KB of the payload. */
  private static final int MAX_WAITING_RESULTS = 16;

  /** The longest wait, in shortest ones. */
  private static final int MAX_WAIT_FACTOR = 4;

  /** About what the result of a query or a fetch takes, with the request or with ten documents. */
  private static final int RESULT_BYTES = 4 << 10;

  /** About what others take: whether a shard can match, or whether a context was there. */
  private static final int SMALL_RESULT_BYTES = 64;

  /** The reason of OpenSearch's {@code TaskManager} for tasks of a connection that has closed. */
  static final String CONNECTION_CLOSED = "channel was closed";

  private static final Logger LOG = LogManager.getLogger(ShardBatch.class);

  private final TransportService transport;
  private final BatchTransport local;
  private final ShardBatchService service;

  /** What is known of the requests, in their order. */
  private final List<Entry> entries;

  /** The requests that have not begun. */
  private final Deque<BatchedRequest> unstarted;

  private final int maxResponseBytes;
  private final int maxRunning;
  private final ResultWriter writer;

  /** How long a result waits for others, in the order of responses; negative to wait for all. */
  private final long firstWaitMillis;

  private long waitMillis;

  /** Reduces the results of each response; null if they stay as they are. */
  private final @Nullable WaveReduction reduction;

  /** How many results a response may have. */
  private final int maxResults;

  private final Deque<BatchResult> results = new ArrayDeque<>();

  /** The headers of the responses whose results were not sent yet. */
  private ResponseHeaders headers = new ResponseHeaders();

  /** The places of the requests that have a result. */
  private final BitSet finished = new BitSet();

  private long resultBytes;
  private int unfinished;
  private boolean isStarting;
  private @Nullable TransportChannel waiting;
  private boolean discarded;

  /** Why no further request begins; null while they do. */
  private @Nullable String cancelReason;

  private boolean timing;
  private boolean overdue;

  ShardBatch(
      TransportService transport,
      ShardBatchService service,
      ShardBatchRequest request,
      Version version) {
    this.transport = transport;
    this.local = new BatchTransport(transport);
    this.service = service;
    this.entries = request.requests().stream().map(BatchedRequest::entry).toList();
    this.unstarted = new ArrayDeque<>(request.requests());
    this.maxResponseBytes = request.maxResponseBytes();
    this.maxRunning = request.maxRunning() == 0 ? Integer.MAX_VALUE : request.maxRunning();
    this.firstWaitMillis = request.maxWait().millis();
    this.waitMillis = firstWaitMillis;
    ReductionLimits limits = request.limits();
    this.reduction = limits == null ? null : new WaveReduction(limits, service.writeables());
    this.maxResults = firstWaitMillis > 0 ? maxWaitingResults(reduction) : Integer.MAX_VALUE;
    this.writer = new ResultWriter(transport, version);
    this.unfinished = entries.size();
  }

  private static int maxWaitingResults(@Nullable WaveReduction reduction) {
    return reduction == null ? MAX_WAITING_RESULTS : reduction.maxResults(MAX_WAITING_RESULTS);
  }

  /** Carries out all requests. */
  void start() {
    startMore();
    if (entries.isEmpty()) {
      respond();
    }
  }

  /**
   * Begins as many requests as may run now. One thread at a time does so: a request that fails at
   * once comes back here.
   */
  private void startMore() {
    synchronized (this) {
      if (isStarting) {
        return;
      }
      isStarting = true;
    }
    try {
      for (BatchedRequest next = takeNext(); next != null; next = takeNext()) {
        BatchedRequest one = next;
        local.run(() -> start(one));
      }
    } catch (RuntimeException | Error e) {
      synchronized (this) {
        isStarting = false; // the next result begins the others
      }
      throw e;
    }
  }

  /** Returns the request that begins now; null for none, then other threads may begin some. */
  private synchronized @Nullable BatchedRequest takeNext() {
    int running = unfinished - unstarted.size();
    boolean isFull =
        running >= maxRunning
            || results.size() >= maxResults
            || (resultBytes >= maxResponseBytes && !results.isEmpty());
    if (unstarted.isEmpty() || (isFull && cancelReason == null)) {
      isStarting = false;
      return null;
    }
    return unstarted.remove();
  }

  private synchronized @Nullable String cancelReason() {
    return cancelReason;
  }

  private void start(BatchedRequest one) {
    Entry entry = one.entry();
    TransportRequest request = one.request();
    String cancelled = cancelReason();
    if (cancelled != null) {
      fail(entry, new TaskCancelledException("cancelled " + cancelled));
      return;
    }
    if (request == null) {
      fail(entry, one.failure());
      return;
    }
    if (request instanceof ShardSearchRequest search) {
      // as a node does with a request that comes by a connection: the time that it took
      search.setInboundNetworkTime(
          Math.max(0, System.currentTimeMillis() - search.getInboundNetworkTime()));
    }
    local.send(
        entry.action(),
        request,
        ActionListener.wrap(response -> finish(entry, response), failure -> fail(entry, failure)));
  }

  private void finish(Entry entry, TransportResponse response) {
    ShardSearchContextId context = openContext(entry, response);
    BatchResult result;
    try {
      UnwrittenQuery query =
          reduction == null || entry.isScroll()
              ? null
              : reduction.reducible(entry.shardIndex(), response);
      if (query != null) {
        service.held().charge(query);
      }
      boolean isQuery = SearchTransportService.QUERY_ACTION_NAME.equals(entry.action());
      result =
          query == null
              ? BatchResult.written(entry.place(), isQuery, write(response), context)
              : BatchResult.unwritten(entry.place(), query, context);
    } catch (IOException | RuntimeException refused) { // unwritable, or by the circuit breaker
      if (context != null) {
        service.freeContext(context);
      }
      fail(entry, refused);
      return;
    }
    add(result);
  }

  private BytesReference write(TransportResponse response) throws IOException {
    return writer.write(
        response, response instanceof SearchPhaseResult ? RESULT_BYTES : SMALL_RESULT_BYTES);
  }

  /** Fails a request, as a message of its own would. */
  private void fail(Entry entry, @Nullable Exception cause) {
    TransportException failure =
        cause instanceof TransportException known ? known : writer.failure(entry.action(), cause);
    add(BatchResult.failed(entry.place(), writer.writeFailure(entry.action(), failure)));
  }

  private void add(BatchResult result) {
    Map<String, List<String>> responded = local.threadContext().getResponseHeaders();
    long wait = 0;
    boolean isDropped;
    synchronized (this) {
      headers.add(responded);
      boolean isFirst = !finished.get(result.place());
      finished.set(result.place());
      unfinished -= isFirst ? 1 : 0;
      isDropped = discarded || !isFirst;
      if (!isDropped) {
        results.add(result);
        resultBytes += result.size();
      }
      if (!timing && unfinished > 0 && firstWaitMillis > 0) {
        timing = true;
        wait = waitMillis;
      }
    }
    if (wait > 0) {
      transport
          .getThreadPool()
          .scheduleUnlessShuttingDown(
              TimeValue.timeValueMillis(wait), ThreadPool.Names.GENERIC, this::stopWaiting);
    }
    if (isDropped) {
      drop(List.of(result));
    }
    respond();
    startMore();
  }

  /**
   * Returns the search context that a query leaves open for its fetch; null for none, or for one of
   * a point in time, which is not the query's.
   */
  private static @Nullable ShardSearchContextId openContext(
      Entry entry, TransportResponse response) {
    return entry.opensContext() && response instanceof SearchPhaseResult found
        ? found.getContextId()
        : null;
  }

  /** Sends what is there, at once or when somebody asks for it. */
  private void stopWaiting() {
    synchronized (this) {
      timing = false;
      overdue = true;
      waitMillis = Math.min(2 * waitMillis, MAX_WAIT_FACTOR * firstWaitMillis);
    }
    respond();
    startMore();
  }

  private boolean isComplete() {
    return unfinished == 0
        || resultBytes >= maxResponseBytes
        || results.size() >= maxResults
        || (overdue && !results.isEmpty());
  }

  /**
   * Sets who gets the next results. Its cancellation cancels the requests that are not finished.
   */
  void await(TransportChannel channel, ShardBatchTask task) {
    synchronized (this) {
      waiting = channel;
    }
    task.setListener(() -> {
      String reason = String.valueOf(task.getReasonCancelled());
      cancel(reason);
      if (reason.equals(CONNECTION_CLOSED)) {
        discard(); // nobody reads the results, or frees the search contexts that they name
      }
    });
    if (hasReducibleResults()) {
      // this is a thread of the network
      transport
          .getThreadPool()
          .executor(ThreadPool.Names.GENERIC)
          .execute(() -> {
            respond();
            startMore();
          });
    } else {
      respond();
    }
    startMore();
  }

  private synchronized boolean hasReducibleResults() {
    return reduction != null && !results.isEmpty();
  }

  /** Responds if somebody waits and enough results are there. */
  private void respond() {
    TransportChannel channel;
    List<BatchResult> sent = new ArrayList<>();
    ResponseHeaders sentHeaders;
    boolean more;
    synchronized (this) {
      channel = waiting;
      if (channel == null || !isComplete()) {
        return;
      }
      waiting = null;
      long bytes = 0;
      boolean hasWhole = false; // a result that may keep its context is among them
      while (!results.isEmpty()) {
        BatchResult next = results.element();
        hasWhole |= firstWaitMillis > 0 && next.mayKeepContext();
        int most = hasWhole ? Math.min(maxResults, MAX_WAITING_RESULTS) : maxResults;
        if (!sent.isEmpty() && (bytes >= maxResponseBytes || sent.size() >= most)) {
          break;
        }
        results.remove();
        bytes += next.size();
        sent.add(next);
      }
      resultBytes -= bytes;
      overdue = firstWaitMillis > 0 && !results.isEmpty();
      sentHeaders = headers;
      headers = new ResponseHeaders();
      more = unfinished > 0 || !results.isEmpty();
    }
    try {
      respond(channel, sent, sentHeaders, more);
    } finally {
      service.held().release(sent);
    }
  }

  private void respond(
      TransportChannel channel, List<BatchResult> sent, ResponseHeaders sentHeaders, boolean more) {
    List<BatchResult> reduced;
    ShardBatchResponse response;
    try {
      reduced = reduce(sent);
      response =
          new ShardBatchResponse(more, more ? service.keep(this) : 0, reduced, workAction(sent));
    } catch (RuntimeException e) { // the gateway waits for a response, and asks for no other
      LOG.warn("can't put the results of a batch into a response", e);
      local.fail(channel, e);
      sent.forEach(this::freeContext);
      discard();
      return;
    }
    local.respond(channel, response, sentHeaders);
    reduced.stream().filter(result -> !result.hasContext()).forEach(this::freeContext);
  }

  /** Returns the results of a response, reduced and written. */
  private List<BatchResult> reduce(List<BatchResult> sent) {
    return reduction == null
        ? sent
        : reduction.reduce(sent).stream().map(this::writeReduced).toList();
  }

  private BatchResult writeReduced(BatchResult result) {
    UnwrittenQuery query = result.query();
    if (query == null) {
      return result;
    }
    try {
      return result.asBytes(writer.write(query.result(), query.estimatedBytes()));
    } catch (IOException | RuntimeException unwritable) {
      String action = entries.get(result.place()).action();
      return result.asFailure(writer.writeFailure(action, writer.failure(action, unwritable)));
    }
  }

  /** Returns the action of a query or a fetch, if there is one. */
  private String workAction(List<BatchResult> sent) {
    String found = "";
    for (BatchResult result : sent) {
      String action = entries.get(result.place()).action();
      if (!action.equals(SearchTransportService.FREE_CONTEXT_ACTION_NAME)) {
        return action;
      }
      found = action;
    }
    return found;
  }

  /**
   * Drops the results, those to come included, with the search contexts that queries have left
   * open, and begins no further request. Those that run go on: their tasks have the same parent as
   * other requests of the search, for which somebody may wait.
   */
  void discard() {
    List<BatchResult> dropped;
    synchronized (this) {
      discarded = true;
      dropped = List.copyOf(results);
      results.clear();
      resultBytes = 0;
      if (cancelReason == null) {
        cancelReason = "nobody waits for the results of a batch";
      }
    }
    drop(dropped);
    startMore();
  }

  private void drop(List<BatchResult> dropped) {
    service.held().release(dropped);
    dropped.forEach(this::freeContext);
  }

  private void freeContext(BatchResult result) {
    ShardSearchContextId context = result.openContext();
    if (context != null) {
      service.freeContext(context);
    }
  }

  /** Cancels the requests that run, and lets no other begin. */
  private void cancel(String reason) {
    synchronized (this) {
      cancelReason = reason;
    }
    cancelTasks(reason);
    startMore();
  }

  /** Cancels the tasks of this batch's requests, which have the same parents as alone. */
  private void cancelTasks(String reason) {
    TaskManager tasks = transport.getTaskManager();
    Set<Object> parents = new HashSet<>();
    for (Entry entry : entries) {
      if (entry.parent().isSet()) {
        parents.add(entry.parent());
      }
    }
    for (CancellableTask task : tasks.getCancellableTasks().values()) {
      if (parents.contains(task.getParentTaskId())
          && ShardBatchService.ACTIONS.contains(task.getAction())) {
        tasks.cancel(task, reason, () -> {});
      }
    }
  }
}
