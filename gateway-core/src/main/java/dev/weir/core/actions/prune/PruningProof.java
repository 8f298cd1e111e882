package dev.weir.core.actions.prune;

import dev.weir.core.actions.explain.RequestChoices;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViews;
import dev.weir.cluster.Position;
import dev.weir.cluster.bounds.NodePositions;
import dev.weir.core.coordinate.LeanPlan;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shows that indices are as they were learned: all nodes that can tell are where the view is.
 *
 * @param pruned what is left out then
 * @param asked the nodes that can tell
 * @param view by which the search was planned
 * @param notes where is kept what was left out; null for nowhere
 */
record PruningProof(
    Pruned pruned, Set<String> asked, ClusterView view, World world, @Nullable RequestChoices notes)
    implements LeanPlan.Proof {
  /**
   * What all proofs share.
   *
   * @param positions asks nodes
   * @param views has the view refreshed that nodes are ahead of
   * @param counts what became of searches
   */
  record World(NodePositions positions, ClusterViews views, PruningCounts counts) {}

  @Override
  public void show(Consumer<Boolean> told) {
    world
        .positions()
        .whetherAllAt(
            asked,
            Position.of(view.state()),
            confirmed -> {
              if (confirmed) {
                world.counts().pruned(pruned.skipped());
                if (notes != null) {
                  notes.leftOut(pruned.indices());
                }
              } else {
                world.counts().unconfirmed();
                world.views().refresh(view);
              }
              told.accept(confirmed);
            });
  }

  @Override
  public void dropped() {
    world.counts().repeated();
    if (notes != null) {
      notes.notLeftOut(pruned.indices());
    }
  }
}
