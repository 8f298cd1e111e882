package dev.weir.core.actions;

import dev.weir.core.coordinate.SearchCoordinator;
import dev.weir.core.reduce.AnswerTrim;
import dev.weir.core.reduce.SearchAsk;
import dev.weir.core.reduce.SearchCaller;
import dev.weir.core.reduce.sample.SampleAsk;
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

/** Carries out searches: the client's own, and those that other actions are made of. */
final class SearchRunner implements ActionHandler<SearchRequest, SearchResponse> {
  /** Ids of searches within a request; far from the ids that requests themselves count up to. */
  private static final long FIRST_INNER_ID = 1L << 40;

  private final SearchSetup setup;
  private final SearchCopies copies;
  private final AtomicLong innerIds = new AtomicLong(FIRST_INNER_ID);
  private @Nullable MultiSearchRunner searches;

  /**
   * How a search is carried out.
   *
   * @param taskId of its tasks on nodes
   * @param pitKeepAlive for how long to open a point in time; null for none
   * @param inner whether it is one of several searches of the request
   * @param part whether it is a part of another that was let in
   */
  private record Way(long taskId, @Nullable TimeValue pitKeepAlive, boolean inner, boolean part) {}

  SearchRunner(SearchSetup setup) {
    this.setup = setup;
    this.copies = new SearchCopies(setup.selector());
  }

  /** Says who searches for what stands behind collapsed hits. */
  void expandWith(MultiSearchRunner runner) {
    searches = runner;
  }

  @Override
  public void handle(
      SearchRequest request, RequestContext context, ActionListener<SearchResponse> listener) {
    run(request, context, new Way(context.taskId(), null, false, false), listener);
  }

  /** Carries out one of several searches of a request. */
  void handleInner(
      SearchRequest request, RequestContext context, ActionListener<SearchResponse> listener) {
    run(request, context, new Way(innerIds.getAndIncrement(), null, true, false), listener);
  }

  /** Carries out a search that is a part of another, which was let in: it does not wait. */
  void handlePart(
      SearchRequest request, RequestContext context, ActionListener<SearchResponse> listener) {
    run(request, context, new Way(innerIds.getAndIncrement(), null, true, true), listener);
  }

  /** Opens a point in time, for {@code keepAlive} at first. */
  void open(
      SearchRequest request,
      RequestContext context,
      TimeValue keepAlive,
      ActionListener<SearchResponse> listener) {
    run(request, context, new Way(context.taskId(), keepAlive, false, false), listener);
  }

  private void run(
      SearchRequest request,
      RequestContext context,
      Way way,
      ActionListener<SearchResponse> listener) {
    long startNanos = setup.environment().nanoClock().getAsLong();
    request.getOrCreateAbsoluteStartMillis();
    SearchPassThrough.check(request);
    SearchAsk ask =
        new SearchAsk(
            context,
            listener,
            (hidden, answers) -> expand(hidden, context, answers),
            () ->
                TimeUnit.NANOSECONDS.toMillis(
                    setup.environment().nanoClock().getAsLong() - startNanos),
            way.pitKeepAlive(),
            way.inner(),
            trim(request, context, way),
            sample(request, context, way));
    SearchCaller caller = SearchCaller.of(setup.gatewayId(), way.taskId(), context);
    SearchPreparation search =
        new SearchPreparation(setup, copies, request, ask, caller, way.part());
    if (request.source() == null) {
      SearchCoordinator.start(setup.environment(), search, context);
      return;
    }
    Rewriteable.rewriteAndFetch(
        request.source(),
        new SearchRewriteContext(setup, request, context, caller),
        new ActionListener<SearchSourceBuilder>() {
          @Override
          public void onResponse(SearchSourceBuilder rewritten) {
            request.source(rewritten);
            SearchCoordinator.start(setup.environment(), search, context);
          }

          @Override
          public void onFailure(Exception failure) {
            listener.onFailure(failure);
          }
        });
  }

  private AnswerTrim trim(SearchRequest request, RequestContext context, Way way) {
    return way.part() || way.pitKeepAlive() != null
        ? AnswerTrim.NONE
        : setup.trimming().narrow(request, context);
  }

  private @Nullable SampleAsk sample(SearchRequest request, RequestContext context, Way way) {
    return way.inner() || way.pitKeepAlive() != null ? null : setup.sampling().of(request, context);
  }

  private void expand(
      MultiSearchRequest inner,
      RequestContext context,
      ActionListener<MultiSearchResponse> answers) {
    MultiSearchRunner runner = searches;
    if (runner == null) {
      throw new IllegalStateException(
          "got an expansion before it was said who expands (expected: expandWith first)");
    }
    runner.expand(inner, context, answers);
  }
}
