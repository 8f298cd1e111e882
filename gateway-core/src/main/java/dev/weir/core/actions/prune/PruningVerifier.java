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
 * Confirms that indices have not changed since their bounds were learned: all nodes involved have
 * applied exactly the view's state.
 *
 * @param result the pruned plan
 * @param queriedNodeIds the nodes to ask
 * @param view the view of the plan
 * @param notes records the pruned indices; null for none
 */
record PruningVerifier(
    PruningResult result,
    Set<String> queriedNodeIds,
    ClusterView view,
    VerifierServices services,
    @Nullable RequestRoutingDecisions notes)
    implements PrunedSearchPlan.Proof {
  /**
   * The services that all verifiers share.
   *
   * @param positions asks nodes
   * @param views refreshes the view when nodes are ahead of it
   * @param counts counts the outcomes
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
                  notes.recordPrunedIndices(result.prunedIndices());
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
