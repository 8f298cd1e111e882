package dev.weir.core.actions;

import dev.weir.core.actions.authorization.DeniedSearch;
import dev.weir.core.actions.copies.SearchCopyRanker;
import dev.weir.core.actions.passthrough.SearchPassThroughChecker;
import dev.weir.core.coordinate.SearchCoordinator;
import dev.weir.core.reduce.SearchSpec;
import dev.weir.core.reduce.query.SearchSampling;
import dev.weir.core.reduce.response.SearchTrimming;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.RequestContext;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.action.ActionListener;
import org.opensearch.index.query.Rewriteable;
import org.opensearch.search.builder.SearchSourceBuilder;

/** Carries out searches: the client's own, and those that are parts of other actions. */
final class SearchHandler implements ActionHandler<SearchRequest, SearchResponse> {
  /** Ids of searches within a request; far from the ids of requests. */
  private static final long FIRST_INNER_ID = 1L << 40;

  private final SearchActionServices setup;
  private final SearchCopyRanker copies;
  private final AtomicLong innerTaskIds = new AtomicLong(FIRST_INNER_ID);
  private @Nullable MultiSearchHandler expansionHandler;

  /**
   * How a search is carried out.
   *
   * @param taskId of its tasks on nodes
   * @param pitKeepAlive for how long to open a point in time; null for none
   * @param isInner whether it is one of several searches of the request
   * @param isKept whether its response is kept as objects until the others are done
   * @param isSubSearch whether it is a part of an admitted search
   */
  private record ExecutionMode(
      long taskId,
      @Nullable TimeValue pitKeepAlive,
      boolean isInner,
      boolean isKept,
      boolean isSubSearch) {}

  SearchHandler(SearchActionServices setup) {
    this.setup = setup;
    this.copies = new SearchCopyRanker(setup.selector());
  }

  /** Sets the handler that searches behind collapsed hits. */
  void setExpansionHandler(MultiSearchHandler runner) {
    expansionHandler = runner;
  }

  @Override
  public void handle(
      SearchRequest request, RequestContext context, ActionListener<SearchResponse> listener) {
    MemoryWaitingSearch.start(
        setup.coordination().timers(),
        context,
        (isFirst, answers) -> {
          long taskId = isFirst ? context.taskId() : innerTaskIds.getAndIncrement();
          run(request, context, new ExecutionMode(taskId, null, false, false, false), answers);
        },
        listener);
  }

  /**
   * Carries out one of several searches of a request, without a wait for memory.
   *
   * @param isKept whether its response is kept as objects until the others are done
   */
  void handleInner(
      SearchRequest request,
      RequestContext context,
      boolean isKept,
      ActionListener<SearchResponse> listener) {
    run(
        request,
        context,
        new ExecutionMode(innerTaskIds.getAndIncrement(), null, true, isKept, false),
        listener);
  }

  /** The caller of one of several searches of a request. */
  SearchCaller createInnerCaller(RequestContext context) {
    return setup.createCaller(innerTaskIds.getAndIncrement(), context);
  }

  /** Carries out one of several searches while no other one of them runs; it waits for memory. */
  void handleInnerAlone(
      SearchRequest request,
      RequestContext context,
      boolean isKept,
      ActionListener<SearchResponse> listener) {
    MemoryWaitingSearch.start(
        setup.coordination().timers(),
        context,
        (isFirst, answers) -> handleInner(request, context, isKept, answers),
        listener);
  }

  /** Carries out a part of an admitted search, without waiting for admission. */
  void handlePart(
      SearchRequest request, RequestContext context, ActionListener<SearchResponse> listener) {
    run(
        request,
        context,
        new ExecutionMode(innerTaskIds.getAndIncrement(), null, true, true, true),
        listener);
  }

  /** Opens a point in time, for {@code keepAlive} at first. */
  void openPit(
      SearchRequest request,
      RequestContext context,
      TimeValue keepAlive,
      ActionListener<SearchResponse> listener) {
    run(
        request,
        context,
        new ExecutionMode(context.taskId(), keepAlive, false, false, false),
        listener);
  }

  private void run(
      SearchRequest request,
      RequestContext context,
      ExecutionMode mode,
      ActionListener<SearchResponse> listener) {
    long startNanos = setup.coordination().nanoClock().getAsLong();
    request.getOrCreateAbsoluteStartMillis();
    if (request instanceof DeniedSearch refused) {
      throw refused.failure();
    }
    SearchPassThroughChecker.check(request);
    SearchSpec spec =
        new SearchSpec(
            context,
            listener,
            (hidden, answers) -> expand(hidden, context, answers),
            () ->
                TimeUnit.NANOSECONDS.toMillis(
                    setup.coordination().nanoClock().getAsLong() - startNanos),
            mode.pitKeepAlive(),
            mode.isKept(),
            trim(request, context, mode),
            sample(request, context, mode),
            mode.isInner() || mode.pitKeepAlive() != null || !context.search().readsColumns()
                ? null
                : setup.features().columnFetch());
    SearchCaller caller = setup.createCaller(mode.taskId(), context);
    RewrittenSearch search =
        new RewrittenSearch(setup, copies, request, spec, caller, mode.isSubSearch());
    if (request.source() == null) {
      SearchCoordinator.start(setup.coordination(), search, context);
      return;
    }
    Rewriteable.rewriteAndFetch(
        request.source(),
        new SearchRewriteContext(setup, request, context, caller),
        new ActionListener<SearchSourceBuilder>() {
          @Override
          public void onResponse(SearchSourceBuilder rewritten) {
            request.source(rewritten);
            SearchCoordinator.start(setup.coordination(), search, context);
          }

          @Override
          public void onFailure(Exception failure) {
            listener.onFailure(failure);
          }
        });
  }

  private SearchTrimming trim(SearchRequest request, RequestContext context, ExecutionMode mode) {
    return mode.isSubSearch() || mode.pitKeepAlive() != null
        ? SearchTrimming.NONE
        : setup.features().trimmer().narrow(request, context);
  }

  private @Nullable SearchSampling sample(
      SearchRequest request, RequestContext context, ExecutionMode mode) {
    return mode.isInner() || mode.pitKeepAlive() != null
        ? null
        : setup.features().sampler().planSample(request, context);
  }

  private void expand(
      MultiSearchRequest inner,
      RequestContext context,
      ActionListener<MultiSearchResponse> answers) {
    MultiSearchHandler runner = expansionHandler;
    if (runner == null) {
      throw new IllegalStateException(
          "got a search with collapsed hits and no handler (expected: setExpansionHandler first)");
    }
    runner.handleExpansion(inner, context, answers);
  }
}
