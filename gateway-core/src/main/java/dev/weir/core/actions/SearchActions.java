package dev.weir.core.actions;

import org.opensearch.action.search.ClearScrollAction;
import org.opensearch.action.search.ClearScrollRequest;
import org.opensearch.action.search.CreatePitAction;
import org.opensearch.action.search.CreatePitRequest;
import org.opensearch.action.search.DeletePitAction;
import org.opensearch.action.search.DeletePitRequest;
import org.opensearch.action.search.MultiSearchAction;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchScrollAction;
import org.opensearch.action.search.SearchScrollRequest;

/** All actions that search: search, multi-search, scroll, and points in time. */
public final class SearchActions {
  private SearchActions() {}

  /** Adds these actions to a registry. */
  public static ActionRegistry.Builder addTo(
      ActionRegistry.Builder actions, SearchActionServices setup) {
    SearchHandler runner = new SearchHandler(setup);
    MultiSearchHandler searches = new MultiSearchHandler(setup, runner);
    runner.setExpansionHandler(searches);
    ScrollHandlers scrolls = new ScrollHandlers(setup);
    PitHandlers pits = new PitHandlers(setup, runner);
    return actions
        .register(SearchAction.INSTANCE, SearchRequest.class, runner)
        .register(MultiSearchAction.INSTANCE, MultiSearchRequest.class, searches)
        .register(SearchScrollAction.INSTANCE, SearchScrollRequest.class, scrolls::scroll)
        .register(ClearScrollAction.INSTANCE, ClearScrollRequest.class, scrolls::clear)
        .register(CreatePitAction.INSTANCE, CreatePitRequest.class, pits::create)
        .register(DeletePitAction.INSTANCE, DeletePitRequest.class, pits::delete);
  }
}
