package dev.weir.core.actions;

import dev.weir.core.reduce.items.StacklessFailure;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.common.util.concurrent.OpenSearchExecutors;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.threadpool.ThreadPool;

/** Carries out several searches, a bounded number at a time, and responds in order. */
final class MultiSearchHandler implements ActionHandler<MultiSearchRequest, MultiSearchResponse> {
  /** With fewer searches, all failures together are small. */
  private static final int MIN_SEARCHES_WITHOUT_STACK_TRACES = 16;

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
    run(request, context, searchHandler::handleInner, listener, context.deadline().isSet());
  }

  /**
   * Searches for the hits behind the collapsed hits of a search, as a part of that search, which
   * decides itself what its response leaves out.
   */
  void handleExpansion(
      MultiSearchRequest request,
      RequestContext context,
      ActionListener<MultiSearchResponse> listener) {
    run(request, context, searchHandler::handlePart, listener, false);
  }

  private void run(
      MultiSearchRequest request,
      RequestContext context,
      ActionHandler<SearchRequest, SearchResponse> each,
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
    MultiSearchRun run = new MultiSearchRun(request.requests(), context, each, listener);
    if (timed) {
      context.onExpiry(run::onDeadlineExpired);
    }
    run.start(concurrent);
  }

  /** One multi-search in progress. Confined to the request's event loop. */
  private final class MultiSearchRun {
    private final List<SearchRequest> searches;
    private final RequestContext context;
    private final ActionHandler<SearchRequest, SearchResponse> searchHandler;
    private final ActionListener<MultiSearchResponse> listener;
    private final long startNanos = setup.coordination().nanoClock().getAsLong();
    private final MultiSearchResponse.@Nullable Item[] items;
    private @Nullable PassThroughException passThrough;
    private int next;
    private int pendingSearches;
    private boolean ended;

    MultiSearchRun(
        List<SearchRequest> searches,
        RequestContext context,
        ActionHandler<SearchRequest, SearchResponse> each,
        ActionListener<MultiSearchResponse> listener) {
      this.searchHandler = each;
      this.searches = searches;
      this.context = context;
      this.listener = listener;
      this.items = new MultiSearchResponse.Item[searches.size()];
      this.pendingSearches = searches.size();
    }

    void start(int concurrent) {
      int first = Math.min(concurrent, searches.size());
      for (int started = 0; started < first; started++) {
        startNext();
      }
    }

    private void startNext() {
      if (ended || next == searches.size()) {
        return;
      }
      int slot = next++;
      try {
        searchHandler.handle(
            searches.get(slot),
            context,
            new ActionListener<>() {
              @Override
              public void onResponse(SearchResponse response) {
                onItem(slot, new MultiSearchResponse.Item(response, null));
              }

              @Override
              public void onFailure(Exception failure) {
                onItemFailure(slot, failure);
              }
            });
      } catch (RuntimeException failure) {
        onItemFailure(slot, failure);
      }
    }

    private void onItemFailure(int slot, Exception failure) {
      if (failure instanceof PassThroughException found) {
        passThrough = found;
      }
      onItem(slot, new MultiSearchResponse.Item(null, withoutStackTraces(failure)));
    }

    /** Makes the failure of one of many searches small, because all of them are kept. */
    private Exception withoutStackTraces(Exception failure) {
      return searches.size() < MIN_SEARCHES_WITHOUT_STACK_TRACES
              || NodeLossDetector.isNodeLoss(failure)
          ? failure
          : StacklessFailure.of(failure);
    }

    /** Responds at the deadline with the searches that have ended. */
    void onDeadlineExpired() {
      if (ended) {
        return;
      }
      Exception late = DeadlineExceededException.forRead(context.deadline());
      for (int slot = 0; slot < items.length; slot++) {
        if (items[slot] == null) {
          items[slot] = new MultiSearchResponse.Item(null, late);
        }
      }
      answer();
    }

    private void onItem(int slot, MultiSearchResponse.Item item) {
      if (ended) {
        return;
      }
      items[slot] = item;
      if (--pendingSearches == 0) {
        answer();
      } else if (context.cancelReason() != null || passThrough != null) {
        stopStarting();
      } else {
        context.runLater(this::startNext); // not recursively: the stack must not grow
      }
    }

    /** Starts no more searches. */
    private void stopStarting() {
      while (next < searches.size()) {
        items[next++] =
            new MultiSearchResponse.Item(
                null, new TaskCancelledException("Parent task was cancelled"));
        if (--pendingSearches == 0) {
          answer();
        }
      }
    }

    private void answer() {
      ended = true;
      if (passThrough != null) {
        listener.onFailure(passThrough);
        return;
      }
      long took = setup.coordination().nanoClock().getAsLong() - startNanos;
      listener.onResponse(new MultiSearchResponse(items, TimeUnit.NANOSECONDS.toMillis(took)));
    }
  }
}
