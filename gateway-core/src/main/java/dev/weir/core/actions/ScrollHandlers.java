package dev.weir.core.actions;

import dev.weir.core.coordinate.ScrollCoordinator;
import dev.weir.core.coordinate.SingleRoundRunner;
import dev.weir.core.reduce.context.ClearScrollRound;
import dev.weir.core.reduce.context.ScrollExecution;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.PassThroughReasons;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.opensearch.action.search.ClearScrollRequest;
import org.opensearch.action.search.ClearScrollResponse;
import org.opensearch.action.search.ParsedScrollId;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchScrollRequest;
import org.opensearch.cluster.node.DiscoveryNodes;
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
    ParsedScrollId id = parse(request.scrollId());
    ScrollExecution job =
        new ScrollExecution(
            request,
            id,
            new ScrollExecution.PageRequest(
                context,
                listener,
                nodes(),
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
      List<SearchContextIdForNode> contexts = new ArrayList<>();
      for (String id : ids) {
        Collections.addAll(contexts, parse(id).getContext());
      }
      round = ClearScrollRound.forContexts(caller(context), contexts, nodes(), listener);
    }
    SingleRoundRunner.start(setup.coordination().sender(), round, context, round::respond);
  }

  private ParsedScrollId parse(String id) {
    ParsedScrollId parsed = SearchInternals.parseScrollId(id);
    for (SearchContextIdForNode context : parsed.getContext()) {
      if (context.getClusterAlias() != null) {
        throw new PassThroughException(PassThroughReasons.CROSS_CLUSTER);
      }
    }
    return parsed;
  }

  private DiscoveryNodes nodes() {
    return setup.coordination().views().current().state().nodes();
  }

  private SearchCaller caller(RequestContext context) {
    return setup.createCaller(context.taskId(), context);
  }
}
