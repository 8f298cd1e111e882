package dev.weir.core.actions;

import dev.weir.core.actions.contexts.ScrollIdParser;
import dev.weir.core.coordinate.ScrollCoordinator;
import dev.weir.core.coordinate.SingleRoundRunner;
import dev.weir.core.reduce.context.ClearScrollRound;
import dev.weir.core.reduce.context.ScrollExecution;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.RequestContext;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.opensearch.action.search.ClearScrollRequest;
import org.opensearch.action.search.ClearScrollResponse;
import org.opensearch.action.search.ParsedScrollId;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchScrollRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.core.action.ActionListener;

/**
 * Continues and clears scrolls, also those that another gateway or node opened: a scroll id names
 * each node and context.
 */
final class ScrollHandlers {
  private static final String ALL = "_all";

  private final SearchActionServices setup;

  ScrollHandlers(SearchActionServices setup) {
    this.setup = setup;
  }

  void scroll(
      SearchScrollRequest request,
      RequestContext context,
      ActionListener<SearchResponse> listener) {
    LongSupplier clock = setup.coordination().nanoClock();
    long startNanos = clock.getAsLong();
    ClusterState state = state();
    ParsedScrollId id = ScrollIdParser.parse(request.scrollId(), state.metadata());
    ScrollExecution job =
        new ScrollExecution(
            request,
            id,
            new ScrollExecution.PageRequest(
                context,
                listener,
                state.nodes(),
                () -> TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - startNanos)),
            caller(context),
            setup.reduceServices());
    ScrollCoordinator.start(setup.coordination(), job, context);
  }

  void clear(
      ClearScrollRequest request,
      RequestContext context,
      ActionListener<ClearScrollResponse> listener) {
    List<String> ids = request.getScrollIds();
    ClearScrollRound round;
    if (ids.size() == 1 && ALL.equals(ids.getFirst())) {
      round =
          ClearScrollRound.forNodes(
              caller(context),
              List.copyOf(setup.coordination().views().current().nodes().keySet()),
              listener);
    } else {
      ClusterState state = state();
      List<SearchContextIdForNode> contexts = ScrollIdParser.parseContexts(ids, state.metadata());
      round = ClearScrollRound.forContexts(caller(context), contexts, state.nodes(), listener);
    }
    SingleRoundRunner.start(setup.coordination().sender(), round, context, round::respond);
  }

  private ClusterState state() {
    return setup.coordination().views().current().state();
  }

  private SearchCaller caller(RequestContext context) {
    return setup.createCaller(context.taskId(), context);
  }
}
