package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import dev.weir.model.PassThroughException;
import dev.weir.rest.PassThroughReasons;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterChangedEvent;
import org.opensearch.script.ScriptService;

/**
 * Copies the cluster's stored scripts to the script service of reductions, from every view, on the
 * watching thread. Safe on any thread.
 */
final class StoredScriptUpdater implements ClusterViewListener {
  private final ScriptService scripts;

  StoredScriptUpdater(ScriptService scripts) {
    this.scripts = scripts;
  }

  @Override
  public void onChange(ClusterView before, ClusterView now) {
    scripts.applyClusterState(new ClusterChangedEvent("weir", now.state(), before.state()));
  }

  /**
   * Checks that a search finds the stored scripts that it needs.
   *
   * @throws PassThroughException when it may need one and the view can't tell
   */
  static void requireStoredScripts(ClusterView view, SearchRequest request) {
    if (view.isPartial()
        && request.source() != null
        && request.source().aggregations() != null
        && request.source().aggregations().toString().contains("script")) {
      throw new PassThroughException(PassThroughReasons.STORED_SCRIPT);
    }
  }
}
