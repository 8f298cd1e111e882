package dev.weir.cluster;

import java.util.concurrent.CompletionStage;

/** Where the newest view is. Safe on any thread. */
public interface ClusterViewSource {
  /**
   * The newest view; before the first state was read, one with no nodes and no indices. Never
   * blocks.
   */
  ClusterView current();

  /**
   * Asks for a view that was read after this call, because a node's answer showed that {@code
   * stale} no longer holds. Calls made while a read is under way share the next one. Completes (on
   * any thread) with the newest view, which may be {@code stale} itself when the cluster can't be
   * reached within two seconds; never exceptionally.
   */
  CompletionStage<ClusterView> refresh(ClusterView stale);
}
