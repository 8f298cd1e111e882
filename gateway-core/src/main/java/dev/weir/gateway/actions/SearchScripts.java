package dev.weir.gateway.actions;

import dev.weir.gateway.cluster.ClusterView;
import dev.weir.model.PassThroughException;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterChangedEvent;
import org.opensearch.cluster.ClusterState;
import org.opensearch.script.ScriptService;

/** Lets the scripts of reductions find the cluster's stored scripts. Safe on any thread. */
final class SearchScripts {
  /** The reason for a search whose reduction may need a stored script that the view lacks. */
  private static final String STORED_SCRIPT = "stored-script";

  private final ScriptService scripts;
  private volatile ClusterView applied = ClusterView.empty(0);

  SearchScripts(ScriptService scripts) {
    this.scripts = scripts;
  }

  /**
   * Sees to it that stored scripts are those of the view.
   *
   * @throws PassThroughException when the search may need one and the view can't tell
   */
  void follow(ClusterView view, SearchRequest request) {
    if (request.source() == null || request.source().aggregations() == null) {
      return;
    }
    if (view.lenient() && request.source().aggregations().toString().contains("script")) {
      throw new PassThroughException(STORED_SCRIPT);
    }
    if (!applied.equals(view)) {
      apply(view);
    }
  }

  private synchronized void apply(ClusterView view) {
    ClusterState before = applied.state();
    scripts.applyClusterState(new ClusterChangedEvent("weir", view.state(), before));
    applied = view;
  }
}
