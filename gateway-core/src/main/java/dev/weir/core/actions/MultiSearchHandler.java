package dev.weir.core.actions;

import dev.weir.core.actions.passthrough.SearchPassThroughChecker;
import dev.weir.model.RequestContext;
import dev.weir.rest.MultiSearchPartWriter;
import dev.weir.rest.PartwiseMultiSearchRequest;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.common.util.concurrent.OpenSearchExecutors;
import org.opensearch.core.action.ActionListener;
import org.opensearch.threadpool.ThreadPool;

/** Carries out several searches, a bounded number at a time, and responds in order. */
final class MultiSearchHandler implements ActionHandler<MultiSearchRequest, MultiSearchResponse> {
  private final SearchActionServices setup;
  private final SearchHandler searchHandler;
  private final int searchesPerDataNode;

  MultiSearchHandler(SearchActionServices setup, SearchHandler runner) {
    this.setup = setup;
    this.searchHandler = runner;
    // like OpenSearch, assumes that data nodes are as large as the coordinator
    int processors = OpenSearchExecutors.allocatedProcessors(setup.registries().settings());
    this.searchesPerDataNode = Math.min(ThreadPool.searchThreadPoolSize(processors), 10);
  }

  @Override
  public void handle(
      MultiSearchRequest request,
      RequestContext context,
      ActionListener<MultiSearchResponse> listener) {
    MultiSearchPartWriter writer = PartwiseMultiSearchRequest.writerOf(request);
    boolean isKept = writer == null;
    run(
        request,
        context,
        new MultiSearchRun.Searches(
            (search, each, answers) -> searchHandler.handleInner(search, each, isKept, answers),
            (search, each, answers) ->
                searchHandler.handleInnerAlone(search, each, isKept, answers),
            writer),
        listener,
        context.deadline().isSet());
  }

  /**
   * Searches for the hits behind the collapsed hits of a search, as a part of that search, which
   * decides itself what its response leaves out.
   */
  void handleExpansion(
      MultiSearchRequest request,
      RequestContext context,
      ActionListener<MultiSearchResponse> listener) {
    run(
        request,
        context,
        new MultiSearchRun.Searches(searchHandler::handlePart, null, null),
        listener,
        false);
  }

  private void run(
      MultiSearchRequest request,
      RequestContext context,
      MultiSearchRun.Searches searches,
      ActionListener<MultiSearchResponse> listener,
      boolean timed) {
    ClusterState state = setup.coordination().views().current().state();
    state.blocks().globalBlockedRaiseException(ClusterBlockLevel.READ);
    for (SearchRequest search : request.requests()) {
      SearchPassThroughChecker.check(search);
    }
    int concurrent = request.maxConcurrentSearchRequests();
    if (concurrent == MultiSearchRequest.MAX_CONCURRENT_SEARCH_REQUESTS_DEFAULT) {
      concurrent = Math.max(1, state.nodes().getDataNodes().size() * searchesPerDataNode);
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
