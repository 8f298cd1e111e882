package dev.weir.core.actions;

import dev.weir.core.actions.forward.ForwardedParts;
import dev.weir.core.actions.forward.SearchForwarder;
import dev.weir.core.actions.passthrough.SearchPassThroughChecker;
import dev.weir.model.RequestContext;
import dev.weir.rest.MultiSearchPartSink;
import dev.weir.rest.PartwiseMultiSearchRequest;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.common.util.concurrent.OpenSearchExecutors;
import org.opensearch.core.action.ActionListener;
import org.opensearch.threadpool.ThreadPool;

/** Carries out several searches, a bounded number at a time, and responds in order. */
final class MultiSearchHandler implements ActionHandler<MultiSearchRequest, MultiSearchResponse> {
  private final SearchActionServices setup;
  private final SearchHandler searchHandler;
  private final SearchForwarder forwarder;
  private final int searchesPerDataNode;

  MultiSearchHandler(SearchActionServices setup, SearchHandler runner) {
    this.setup = setup;
    this.searchHandler = runner;
    this.forwarder =
        new SearchForwarder(
            setup.coordination(), setup.reduceServices(), setup.features().forwardedSearches());
    // like OpenSearch, assumes that data nodes are as large as the coordinator
    int processors = OpenSearchExecutors.allocatedProcessors(setup.registries().settings());
    this.searchesPerDataNode = Math.min(ThreadPool.searchThreadPoolSize(processors), 10);
  }

  @Override
  public void handle(
      MultiSearchRequest request,
      RequestContext context,
      ActionListener<MultiSearchResponse> listener) {
    requireReadableCluster();
    ForwardedParts forwarded = ForwardedParts.find(request, forwarder, context);
    MultiSearchPartSink writer = PartwiseMultiSearchRequest.writerOf(request);
    boolean isKept = writer == null;
    run(
        request,
        context,
        new MultiSearchRun.Searches(
            (search, each, answers) -> {
              String reason = forwarded.reason(search);
              if (reason == null) {
                searchHandler.handleInner(search, each, isKept, answers);
              } else {
                forward(search, each, reason, false, isKept, answers);
              }
            },
            (search, each, answers) -> {
              String reason = forwarded.reason(search);
              if (reason == null) {
                searchHandler.handleInnerAlone(search, each, isKept, answers);
              } else {
                forward(search, each, reason, true, isKept, answers);
              }
            },
            writer),
        listener,
        context.deadline().isSet());
  }

  private void forward(
      SearchRequest search,
      RequestContext context,
      String reason,
      boolean isAlone,
      boolean isKept,
      ActionListener<SearchResponse> listener) {
    forwarder.forward(
        search,
        context,
        new SearchForwarder.ForwardingMode(
            searchHandler.createInnerCaller(context), reason, isAlone, isKept),
        listener);
  }

  /**
   * Searches for the hits behind the collapsed hits of a search, as a part of that search, which
   * decides itself what its response leaves out.
   */
  void handleExpansion(
      MultiSearchRequest request,
      RequestContext context,
      ActionListener<MultiSearchResponse> listener) {
    requireReadableCluster();
    for (SearchRequest search : request.requests()) {
      SearchPassThroughChecker.check(search);
    }
    run(
        request,
        context,
        new MultiSearchRun.Searches(searchHandler::handlePart, null, null),
        listener,
        false);
  }

  private void requireReadableCluster() {
    setup
        .coordination()
        .views()
        .current()
        .state()
        .blocks()
        .globalBlockedRaiseException(ClusterBlockLevel.READ);
  }

  private void run(
      MultiSearchRequest request,
      RequestContext context,
      MultiSearchRun.Searches searches,
      ActionListener<MultiSearchResponse> listener,
      boolean timed) {
    int concurrent = request.maxConcurrentSearchRequests();
    if (concurrent == MultiSearchRequest.MAX_CONCURRENT_SEARCH_REQUESTS_DEFAULT) {
      int dataNodes = setup.coordination().views().current().state().nodes().getDataNodes().size();
      concurrent = Math.max(1, dataNodes * searchesPerDataNode);
    }
    MultiSearchRun run =
        new MultiSearchRun(
            request.requests(), context, searches, setup.coordination().timers(), listener);
    if (timed) {
      context.onExpiry(run::onDeadlineExpired);
    }
    run.start(concurrent);
  }
}
