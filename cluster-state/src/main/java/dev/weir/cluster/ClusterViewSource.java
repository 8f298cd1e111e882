package dev.weir.cluster;

import java.util.concurrent.CompletionStage;

/** Provides the newest view. Safe on any thread. */
public interface ClusterViewSource {
  /** Returns the newest view; before the first state was read, an empty one. Never blocks. */
  ClusterView current();

  /**
   * Requests a view that is read after this call, because a node's response showed that {@code
   * stale} is out of date. Calls during a read share the next read. The stage completes on any
   * thread with the newest view, which is {@code stale} itself if the cluster cannot be reached
   * within two seconds; it never fails.
   */
  CompletionStage<ClusterView> refresh(ClusterView stale);

  /**
   * Takes the failure of a request for a shard: if the node lacks the copy, the source reads the
   * routing of the index soon, although nobody waits for it. Cheap; never blocks.
   */
  default void onShardFailure(Exception failure) {}
}
