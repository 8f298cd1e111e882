package dev.weir.core.reduce;

import dev.weir.model.Phase;
import dev.weir.model.RequestContext;
import dev.weir.model.Work;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ParsedScrollId;
import org.opensearch.action.search.ReduceSearchPhaseException;
import org.opensearch.action.search.Reduced;
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
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.fetch.ScrollQueryFetchSearchResult;
import org.opensearch.search.fetch.ShardFetchRequest;
import org.opensearch.search.internal.InternalScrollSearchRequest;
import org.opensearch.search.internal.InternalSearchResponse;
import org.opensearch.search.query.ScrollQuerySearchResult;

/**
 * The next page of a scroll, made with OpenSearch's own classes. Confined to the request's home.
 */
public final class ScrollJob implements ScrollWork {
  /**
   * Who asked for the page.
   *
   * @param nodes the nodes of the newest view
   * @param tookMillis how long it has taken so far
   */
  public record Ask(
      RequestContext context,
      ActionListener<SearchResponse> listener,
      DiscoveryNodes nodes,
      LongSupplier tookMillis) {}

  private final SearchScrollRequest request;
  private final ParsedScrollId id;
  private final Ask ask;
  private final SearchCaller caller;
  private final RequestBreaker breaker;
  private final AnswerReading reading;
  private final SearchPhaseController controller;
  private final HeldFrames frames = new HeldFrames();
  private final List<ShardSearchFailure> failures = new ArrayList<>(0);
  private final AtomicArray<SearchPhaseResult> queried;
  private AtomicArray<? extends SearchPhaseResult> fetched;
  private @Nullable ReducedQueryPhase reduced;
  private @Nullable Exception lastFailure;
  private @Nullable Exception noRoom;
  private Consumer<String> hopeless = reason -> {};
  private @Nullable String cancelReason;

  /** Makes the job. */
  public ScrollJob(
      SearchScrollRequest request,
      ParsedScrollId id,
      Ask ask,
      SearchCaller caller,
      ReduceServices services) {
    this.request = request;
    this.id = id;
    this.ask = ask;
    this.caller = caller;
    this.breaker = services.breakerOf(ask.context(), AggregationShape.NONE);
    this.controller = services.controller(Integer.MAX_VALUE, breaker); // scrolls don't aggregate
    this.reading = new AnswerReading(services, breaker, AggregationShape.NONE);
    this.queried = new AtomicArray<>(id.getContext().length);
    this.fetched = queried;
  }

  @Override
  public NodeRound<?> query() {
    return switch (id.getType()) {
      case ParsedScrollId.QUERY_THEN_FETCH_TYPE -> new QueryRound();
      case ParsedScrollId.QUERY_AND_FETCH_TYPE -> new QueryAndFetchRound();
      default ->
          throw new IllegalArgumentException("Scroll id type [" + id.getType() + "] unrecognized");
    };
  }

  @Override
  public NodeRound<?> fetch() {
    ReducedQueryPhase found = SearchInternals.reduceScroll(controller, queried.asList());
    reduced = found;
    if (id.getType().equals(ParsedScrollId.QUERY_AND_FETCH_TYPE)) {
      return new PageFetchRound(List.of());
    }
    int shards = queried.length();
    PageFetchRound round =
        new PageFetchRound(
            DocsRound.wanted(
                DocIds.byShard(shards, Reduced.of(found).docs()),
                controller.getLastEmittedDocPerShard(found, shards)));
    fetched = round.results();
    return round;
  }

  @Override
  public void answer(int successful) {
    ReducedQueryPhase found = reduced;
    String cancelled = ask.context().cancelReason();
    if (found == null || cancelled != null) {
      giveUp(new TaskCancelledException(String.valueOf(cancelled)));
      return;
    }
    if (noRoom != null) {
      giveUp(
          new SearchPhaseExecutionException("fetch", "", noRoom, ShardSearchFailure.EMPTY_ARRAY));
      return;
    }
    SearchResponse response;
    try {
      InternalSearchResponse merged = controller.merge(true, found, fetched.asList(), fetched::get);
      response =
          new SearchResponse(
              merged,
              request.scroll() == null ? null : request.scrollId(),
              id.getContext().length,
              successful,
              0,
              Math.max(1, ask.tookMillis().getAsLong()),
              shardFailures(),
              SearchResponse.Clusters.EMPTY,
              null);
    } catch (RuntimeException e) {
      giveUp(new ReduceSearchPhaseException("fetch", "inner finish failed", e, shardFailures()));
      return;
    }
    frames.handTo(ask.context());
    ask.listener().onResponse(response);
    breaker.close();
  }

  @Override
  public void failAll(String phase) {
    if (id.getContext().length == 0) {
      giveUp(
          new SearchPhaseExecutionException(
              phase, "no nodes to search on", ShardSearchFailure.EMPTY_ARRAY));
    } else {
      giveUp(
          new SearchPhaseExecutionException(
              phase, "all shards failed", lastFailure, shardFailures()));
    }
  }

  @Override
  public void fail(RuntimeException failure) {
    giveUp(
        new SearchPhaseExecutionException(
            "fetch", "Phase failed", failure, ShardSearchFailure.EMPTY_ARRAY));
  }

  private void giveUp(Exception failure) {
    frames.release();
    breaker.close();
    ask.listener().onFailure(failure);
  }

  private void note(Exception failure, @Nullable SearchShardTarget target) {
    Exception seen = SearchRound.unwrap(failure);
    lastFailure = seen;
    if (noRoom == null
        && failure instanceof NodeFailure sending
        && sending.kind() == NodeFailure.Kind.OVER_BUDGET) {
      noRoom = seen; // a page without some of its hits would be a wrong one
      hopeless.accept("no room in the gateway: " + seen.getMessage());
    }
    failures.add(new ShardSearchFailure(seen, target));
  }

  private ShardSearchFailure[] shardFailures() {
    return failures.toArray(ShardSearchFailure[]::new);
  }

  @Override
  public void whenHopeless(Consumer<String> cancel) {
    hopeless = cancel;
  }

  @Override
  public Exception cancelled() {
    return CancelTasks.refusal(String.valueOf(cancelReason));
  }

  @Override
  public void cancel(String reason) {
    cancelReason = reason;
  }

  @Override
  public NodeTasks tasks(String nodeId) {
    return CancelTasks.of(caller.on(nodeId));
  }

  /** Asks every context of the scroll. */
  private abstract class ContextRound<R extends SearchPhaseResult> implements NodeRound<R> {
    @Override
    public String name() {
      return "query";
    }

    @Override
    public Phase phase() {
      return Phase.QUERY;
    }

    @Override
    public Work work(int call) {
      return Work.SCROLLING;
    }

    @Override
    public int calls() {
      return id.getContext().length;
    }

    @Override
    public String nodeId(int call) {
      return id.getContext()[call].getNode();
    }

    final InternalScrollSearchRequest request(int call) {
      SearchContextIdForNode context = id.getContext()[call];
      if (!ask.nodes().nodeExists(context.getNode())) {
        throw new IllegalArgumentException(
            "scroll_id references node ["
                + context.getNode()
                + "] which was not found in the cluster");
      }
      return new InternalScrollSearchRequest(request, context.getSearchContextId());
    }

    @Override
    public boolean failed(int call, Exception failure) {
      note(failure, null);
      return true;
    }
  }

  private final class QueryRound extends ContextRound<ScrollQuerySearchResult> {
    @Override
    public NodeCall<ScrollQuerySearchResult> call(int call) {
      return caller
          .on(nodeId(call))
          .child(
              SearchTransportService.QUERY_SCROLL_ACTION_NAME,
              request(call),
              ScrollQuerySearchResult::new);
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
    public void reply(
        int call, ScrollQuerySearchResult reply, ReplyFrame frame, Runnable consumed) {
      frames.hold(frame);
      reply.setShardIndex(call);
      queried.set(call, reply.queryResult());
      consumed.run();
    }
  }

  private final class QueryAndFetchRound extends ContextRound<ScrollQueryFetchSearchResult> {
    @Override
    public NodeCall<ScrollQueryFetchSearchResult> call(int call) {
      return caller
          .on(nodeId(call))
          .child(
              SearchTransportService.QUERY_FETCH_SCROLL_ACTION_NAME,
              request(call),
              ScrollQueryFetchSearchResult::new);
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
    public void reply(
        int call, ScrollQueryFetchSearchResult reply, ReplyFrame frame, Runnable consumed) {
      frames.hold(frame);
      reply.setShardIndex(call);
      queried.set(call, reply.result());
      consumed.run();
    }
  }

  /** Fetches the page's documents. */
  private final class PageFetchRound extends DocsRound {
    PageFetchRound(List<ShardDocs> wanted) {
      super(wanted, queried.length(), frames);
    }

    @Override
    SearchShardTarget queried(int shard) {
      return queried.get(shard).getSearchShardTarget();
    }

    @Override
    public NodeCall<FetchSearchResult> call(int call) {
      ShardDocs docs = docs(call);
      return caller
          .on(nodeId(call))
          .child(
              SearchTransportService.FETCH_ID_SCROLL_ACTION_NAME,
              new ShardFetchRequest(
                  queried.get(docs.shard()).getContextId(), docs.docs(), docs.last()),
              reading.hits("hits", docs.docs().size(), FetchSearchResult::new));
    }

    @Override
    public boolean failed(int call, Exception failure) {
      note(failure, target(call));
      return true;
    }
  }
}
