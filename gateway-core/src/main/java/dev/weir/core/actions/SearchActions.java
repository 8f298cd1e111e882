package dev.weir.core.actions;

import dev.weir.cluster.ViewListener;
import dev.weir.protocol.registry.OpenSearchRegistries;
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

/** All actions that search: search, msearch, scroll, and points in time. */
public final class SearchActions {
  private SearchActions() {}

  /** Hears of views, so that the scripts of reductions find the cluster's stored scripts. */
  public static ViewListener storedScripts(OpenSearchRegistries registries) {
    return new SearchScripts(registries.scripts());
  }

  /** Adds them. */
  public static Actions.Builder addTo(Actions.Builder actions, SearchSetup setup) {
    SearchRunner runner = new SearchRunner(setup);
    MultiSearchRunner searches = new MultiSearchRunner(setup, runner);
    runner.expandWith(searches);
    ScrollHandlers scrolls = new ScrollHandlers(setup);
    PitHandlers pits = new PitHandlers(setup, runner);
    return actions
        .with(SearchAction.INSTANCE, SearchRequest.class, runner)
        .with(MultiSearchAction.INSTANCE, MultiSearchRequest.class, searches)
        .with(SearchScrollAction.INSTANCE, SearchScrollRequest.class, scrolls::scroll)
        .with(ClearScrollAction.INSTANCE, ClearScrollRequest.class, scrolls::clear)
        .with(CreatePitAction.INSTANCE, CreatePitRequest.class, pits::create)
        .with(DeletePitAction.INSTANCE, DeletePitRequest.class, pits::delete);
  }
}
