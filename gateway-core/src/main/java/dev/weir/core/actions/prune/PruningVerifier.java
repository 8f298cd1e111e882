package dev.weir.core.actions.prune;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.StatePosition;
import dev.weir.cluster.bounds.CopyBoundsChecker;
import dev.weir.cluster.bounds.NodePositionChecker;
import dev.weir.core.actions.explain.RequestRoutingDecisions;
import dev.weir.core.coordinate.PrunedSearchPlan;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Confirms that the pruned shards still have no hit: of sealed indices, because all nodes involved
 * have applied exactly the view's state; of other indices, because a copy of each shard says so.
 *
 * @param result the pruned plan
 * @param queriedNodeIds the nodes to ask for their state
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
   * @param positions asks nodes for their state
   * @param copies asks nodes for their copies
   * @param views refreshes the view when nodes are ahead of it
   * @param counts counts the outcomes
   */
  record VerifierServices(
      NodePositionChecker positions,
      CopyBoundsChecker copies,
      ClusterViewSource views,
      PruningCounts counts) {}

  /** Two proofs of one search, which hold if both do. */
  private static final class BothProofs {
    private final Consumer<Boolean> listener;
    private final AtomicInteger open = new AtomicInteger(2);
    private final AtomicBoolean isDone = new AtomicBoolean();

    BothProofs(Consumer<Boolean> listener) {
      this.listener = listener;
    }

    void onProof(boolean holds) {
      if ((!holds || open.decrementAndGet() == 0) && isDone.compareAndSet(false, true)) {
        listener.accept(holds);
      }
    }
  }

  @Override
  public void verify(Consumer<Boolean> listener) {
    BothProofs proofs =
        new BothProofs(confirmed -> {
          if (confirmed) {
            services.counts().recordPruned(result.skippedShards(), skippedCopies());
            if (notes != null) {
              notes.recordPrunedIndices(result.prunedIndices());
            }
          } else {
            services.counts().recordUnconfirmed();
          }
          listener.accept(confirmed);
        });
    services
        .positions()
        .checkAllAt(
            queriedNodeIds,
            StatePosition.of(view.state()),
            confirmed -> {
              if (!confirmed) {
                services.views().refresh(view);
              }
              proofs.onProof(confirmed);
            });
    services.copies().check(result.copiesByNode(), proofs::onProof);
  }

  private int skippedCopies() {
    return result.copiesByNode().values().stream().mapToInt(List::size).sum();
  }

  @Override
  public void onPlanDiscarded() {
    services.counts().recordRestart();
    if (notes != null) {
      notes.removePruned(result.prunedIndices());
    }
  }
}
