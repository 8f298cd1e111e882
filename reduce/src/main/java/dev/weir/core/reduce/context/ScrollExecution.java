package dev.weir.core.reduce.context;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.coordinate.NodeTaskBan;
import dev.weir.core.coordinate.ScrollWork;
import dev.weir.core.reduce.items.StacklessFailure;
import dev.weir.core.reduce.memory.AccountedReaderFactory;
import dev.weir.core.reduce.memory.AggregationShape;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.memory.RetainedSearchFrames;
import dev.weir.core.reduce.memory.SearchCircuitBreaker;
import dev.weir.core.reduce.round.BaseFetchRound;
import dev.weir.core.reduce.round.BaseShardRound;
import dev.weir.core.reduce.round.DocIdList;
import dev.weir.core.reduce.round.ParentTaskBan;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ParsedScrollId;
import org.opensearch.action.search.ReduceSearchPhaseException;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchPhaseController;
import org.opensearch.action.search.SearchPhaseController.ReducedQueryPhase;
import org.opensearch.action.search.SearchPhaseExecutionException;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchScrollRequest;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.search.SearchException;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.fetch.ScrollQueryFetchSearchResult;
import org.opensearch.search.fetch.ShardFetchRequest;
import org.opensearch.search.internal.InternalScrollSearchRequest;
import org.opensearch.search.internal.InternalSearchResponse;
import org.opensearch.search.query.ScrollQuerySearchResult;

/**
 * Produces the next page of a scroll with OpenSearch's own classes. Confined to the request's event
 * loop.
 */
public final class ScrollExecution implements ScrollWork {
  /**
   * Expected heap bytes per byte on the wire for a page with its hits, before one was measured: the
   * documents stay in their frame. A page that is refused is lost, because its search context has
   * moved on.
   */
  private static final double DEFAULT_PAGE_RATIO = 1;

  /**
   * The request for a page.
   *
   * @param nodes the nodes of the newest cluster view
   * @param tookMillis how long the page has taken so far
   */
  public record PageRequest(
      RequestContext context,
      ActionListener<SearchResponse> listener,
      DiscoveryNodes nodes,
      LongSupplier tookMillis) {}

  private final SearchScrollRequest request;
  private final ParsedScrollId id;
  private final PageRequest pageRequest;
  private final SearchCaller caller;
  private final SearchCircuitBreaker breaker;
  private final AccountedReaderFactory readers;
  private final SearchPhaseController controller;
  private final RetainedSearchFrames frames = new RetainedSearchFrames();
  private final List<ShardSearchFailure> failures = new ArrayList<>(0);
  private final AtomicArray<SearchPhaseResult> queryResults;
  private AtomicArray<? extends SearchPhaseResult> fetchResults;
  private @Nullable ReducedQueryPhase reduced;
  private @Nullable Exception lastFailure;
  private @Nullable Exception memoryRejection;
  private Consumer<String> unrecoverableListener = reason -> {};
  private @Nullable String cancelReason;

  /** Creates the execution of a page. */
  public ScrollExecution(
      SearchScrollRequest request,
      ParsedScrollId id,
      PageRequest page,
      SearchCaller caller,
      ReduceServices services) {
    this.request = request;
    this.id = id;
    this.pageRequest = page;
    this.caller = caller;
    this.breaker = services.createBreaker(page.context(), AggregationShape.NONE);
    this.controller =
        services.createController(Integer.MAX_VALUE, breaker); // scrolls don't aggregate
    this.readers = new AccountedReaderFactory(services, breaker, AggregationShape.NONE);
    this.queryResults = new AtomicArray<>(id.getContext().length);
    this.fetchResults = queryResults;
  }

  @Override
  public NodeRound<?> createQueryRound() {
    return switch (id.getType()) {
      case ParsedScrollId.QUERY_THEN_FETCH_TYPE -> new QueryRound();
      case ParsedScrollId.QUERY_AND_FETCH_TYPE -> new QueryAndFetchRound();
      default ->
          throw new IllegalArgumentException("Scroll id type [" + id.getType() + "] unrecognized");
    };
  }

  @Override
  public NodeRound<?> createFetchRound() {
    ReducedQueryPhase found = SearchInternals.reduceScroll(controller, queryResults.asList());
    reduced = found;
    if (id.getType().equals(ParsedScrollId.QUERY_AND_FETCH_TYPE)) {
      return new PageFetchRound(List.of());
    }
    int shards = queryResults.length();
    PageFetchRound round =
        new PageFetchRound(
            BaseFetchRound.docsByShard(
                DocIdList.groupByShard(shards, ReducedResult.of(found).docs()),
                controller.getLastEmittedDocPerShard(found, shards)));
    fetchResults = round.results();
    return round;
  }

  @Override
  public void respond(int successful) {
    ReducedQueryPhase found = reduced;
    String cancelled = pageRequest.context().cancelReason();
    if (found == null || cancelled != null) {
      failWith(new TaskCancelledException(String.valueOf(cancelled)));
      return;
    }
    if (memoryRejection != null) {
      failWith(memoryFailure(memoryRejection));
      return;
    }
    SearchResponse response;
    try {
      InternalSearchResponse merged =
          controller.merge(true, found, fetchResults.asList(), fetchResults::get);
      response =
          new SearchResponse(
              merged,
              request.scroll() == null ? null : request.scrollId(),
              id.getContext().length,
              successful,
              0,
              Math.max(1, pageRequest.tookMillis().getAsLong()),
              shardFailures(),
              SearchResponse.Clusters.EMPTY,
              null);
    } catch (RuntimeException e) {
      failWith(new ReduceSearchPhaseException("fetch", "inner finish failed", e, shardFailures()));
      return;
    }
    frames.releaseOnEnd(pageRequest.context());
    try {
      pageRequest.listener().onResponse(response);
    } finally {
      breaker.close();
    }
  }

  @Override
  public void failAllShards(String phase) {
    if (memoryRejection != null) { // the other shards were cancelled for it
      failWith(memoryFailure(memoryRejection));
    } else if (id.getContext().length == 0) {
      failWith(
          new SearchPhaseExecutionException(
              phase, "no nodes to search on", ShardSearchFailure.EMPTY_ARRAY));
    } else {
      failWith(
          new SearchPhaseExecutionException(
              phase, "all shards failed", lastFailure, shardFailures()));
    }
  }

  @Override
  public void fail(RuntimeException failure) {
    failWith(
        new SearchPhaseExecutionException(
            "fetch", "Phase failed", failure, ShardSearchFailure.EMPTY_ARRAY));
  }

  private static Exception memoryFailure(Exception rejection) {
    return new SearchPhaseExecutionException(
        "fetch", "", rejection, ShardSearchFailure.EMPTY_ARRAY);
  }

  private void failWith(Exception failure) {
    frames.release();
    breaker.close();
    pageRequest.listener().onFailure(failure);
  }

  private void recordFailure(Exception failure, @Nullable SearchShardTarget target) {
    Exception seen = BaseShardRound.unwrapRemote(failure);
    lastFailure = seen;
    if (memoryRejection == null
        && failure instanceof NodeCallException sending
        && sending.kind() == NodeCallException.Kind.OVER_BUDGET) {
      memoryRejection = seen; // a page that lacks hits would be wrong, so the request fails
      unrecoverableListener.accept(
          "the gateway has no memory left for the search: " + seen.getMessage());
    }
    failures.add(new ShardSearchFailure(seen, target));
    // all or none: a page groups equal failures by class
    if (failures.size() == StacklessFailure.MIN_FAILURES) {
      failures.replaceAll(ScrollExecution::withoutStackTrace);
    } else if (failures.size() > StacklessFailure.MIN_FAILURES) {
      failures.add(withoutStackTrace(failures.removeLast()));
    }
  }

  /** Leaves a {@link SearchException} as it is: the failure takes the shard from it. */
  private static ShardSearchFailure withoutStackTrace(ShardSearchFailure failure) {
    return failure.getCause() instanceof Exception cause && !(cause instanceof SearchException)
        ? new ShardSearchFailure(StacklessFailure.of(cause), failure.shard())
        : failure;
  }

  private ShardSearchFailure[] shardFailures() {
    return failures.toArray(ShardSearchFailure[]::new);
  }

  @Override
  public void onUnrecoverable(Consumer<String> cancel) {
    unrecoverableListener = cancel;
  }

  @Override
  public Exception cancellationException() {
    return ParentTaskBan.createRejection(String.valueOf(cancelReason));
  }

  @Override
  public void cancel(String reason) {
    cancelReason = reason;
  }

  @Override
  public NodeTaskBan taskBan(String nodeId) {
    return ParentTaskBan.forCaller(caller.forNode(nodeId));
  }

  /** Continues every context of the scroll. */
  private abstract class ContextRound<R extends SearchPhaseResult> implements NodeRound<R> {
    @Override
    public String name() {
      return "query";
    }

    @Override
    public NodeCallType callType(int call) {
      return NodeCallType.SCROLL;
    }

    @Override
    public int callCount() {
      return id.getContext().length;
    }

    @Override
    public String nodeId(int call) {
      return id.getContext()[call].getNode();
    }

    final InternalScrollSearchRequest request(int call) {
      SearchContextIdForNode context = id.getContext()[call];
      if (!pageRequest.nodes().nodeExists(context.getNode())) {
        throw new IllegalArgumentException(
            "scroll_id references node ["
                + context.getNode()
                + "] which was not found in the cluster");
      }
      return new InternalScrollSearchRequest(request, context.getSearchContextId());
    }

    @Override
    public boolean onFailure(int call, Exception failure) {
      recordFailure(failure, null);
      return true;
    }
  }

  private final class QueryRound extends ContextRound<ScrollQuerySearchResult> {
    @Override
    public NodeCall<ScrollQuerySearchResult> createCall(int call) {
      return caller
          .forNode(nodeId(call))
          .createChildCall(
              SearchTransportService.QUERY_SCROLL_ACTION_NAME,
              request(call),
              readers.scrollPageReader(
                  "scrolled documents",
                  AccountedReaderFactory.DEFAULT_HITS_RATIO,
                  ScrollQuerySearchResult::new));
    }

    @Override
    public int queueSize(ScrollQuerySearchResult reply) {
      return reply.queryResult().nodeQueueSize();
    }

    @Override
    public long serviceTimeNanos(ScrollQuerySearchResult reply) {
      return reply.queryResult().serviceTimeEWMA();
    }

    @Override
    public void onReply(
        int call, ScrollQuerySearchResult reply, ReplyFrame frame, Runnable consumed) {
      frames.retain(frame);
      reply.setShardIndex(call);
      queryResults.set(call, reply.queryResult());
      consumed.run();
    }
  }

  private final class QueryAndFetchRound extends ContextRound<ScrollQueryFetchSearchResult> {
    @Override
    public NodeCall<ScrollQueryFetchSearchResult> createCall(int call) {
      return caller
          .forNode(nodeId(call))
          .createChildCall(
              SearchTransportService.QUERY_FETCH_SCROLL_ACTION_NAME,
              request(call),
              readers.scrollPageReader(
                  "scrolled hits", DEFAULT_PAGE_RATIO, ScrollQueryFetchSearchResult::new));
    }

    @Override
    public int queueSize(ScrollQueryFetchSearchResult reply) {
      return reply.queryResult().nodeQueueSize();
    }

    @Override
    public long serviceTimeNanos(ScrollQueryFetchSearchResult reply) {
      return reply.queryResult().serviceTimeEWMA();
    }

    @Override
    public void onReply(
        int call, ScrollQueryFetchSearchResult reply, ReplyFrame frame, Runnable consumed) {
      frames.retain(frame);
      reply.setShardIndex(call);
      queryResults.set(call, reply.result());
      consumed.run();
    }
  }

  /** Fetches the page's documents. */
  private final class PageFetchRound extends BaseFetchRound {
    PageFetchRound(List<ShardDocs> wanted) {
      super(wanted, queryResults.length(), frames);
    }

    @Override
    public SearchShardTarget queriedTarget(int shard) {
      return queryResults.get(shard).getSearchShardTarget();
    }

    @Override
    public NodeCall<FetchSearchResult> createCall(int call) {
      ShardDocs docs = docs(call);
      return caller
          .forNode(nodeId(call))
          .createChildCall(
              SearchTransportService.FETCH_ID_SCROLL_ACTION_NAME,
              new ShardFetchRequest(
                  queryResults.get(docs.shard()).getContextId(), docs.docs(), docs.lastEmitted()),
              readers.hitsReader("hits", docs.docs().size(), FetchSearchResult::new));
    }

    @Override
    public boolean onFailure(int call, Exception failure) {
      recordFailure(failure, target(call));
      return true;
    }
  }
}
