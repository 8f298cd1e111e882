package dev.weir.core.actions.prune;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.StatePosition;
import dev.weir.cluster.bounds.NodePositionChecker;
import dev.weir.core.actions.explain.RequestRoutingDecisions;
import dev.weir.core.coordinate.PrunedSearchPlan;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shows that indices are as they were learned: all nodes that can tell are where the view is.
 *
 * @param result what is left out then
 * @param queriedNodeIds the nodes that can tell
 * @param view by which the search was planned
 * @param notes where is kept what was left out; null for nowhere
 */
record PruningVerifier(
    PruningResult result,
    Set<String> queriedNodeIds,
    ClusterView view,
    VerifierServices services,
    @Nullable RequestRoutingDecisions notes)
    implements PrunedSearchPlan.Proof {
  /**
   * What all proofs share.
   *
   * @param positions asks nodes
   * @param views has the view refreshed that nodes are ahead of
   * @param counts what became of searches
   */
  record VerifierServices(
      NodePositionChecker positions, ClusterViewSource views, PruningCounts counts) {}

  @Override
  public void verify(Consumer<Boolean> listener) {
    services
        .positions()
        .checkAllAt(
            queriedNodeIds,
            StatePosition.of(view.state()),
            confirmed -> {
              if (confirmed) {
                services.counts().recordPruned(result.skippedShards());
                if (notes != null) {
                  notes.prunedIndices(result.prunedIndices());
                }
              } else {
                services.counts().recordUnconfirmed();
                services.views().refresh(view);
              }
              listener.accept(confirmed);
            });
  }

  @Override
  public void onPlanDiscarded() {
    services.counts().recordRestart();
    if (notes != null) {
      notes.removePruned(result.prunedIndices());
    }
  }
}
