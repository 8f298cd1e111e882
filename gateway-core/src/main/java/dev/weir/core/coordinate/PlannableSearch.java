package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;

/**
 * One search as it was asked for, which can be planned against any view of the cluster, and whoever
 * waits for it. Confined to the request's home.
 */
public interface PlannableSearch {
  /**
   * Plans the search.
   *
   * @throws Exception what the search fails with before anything is sent
   */
  PreparedSearch prepare(ClusterView view) throws Exception;

  /** Whether planning may have failed only because the view was not the newest. */
  boolean isStaleViewFailure(Exception failure);

  /** Whether {@code fresh} shows another cluster state than {@code stale}. */
  boolean hasClusterChanged(ClusterView stale, ClusterView fresh);

  /** Fails the search before anything was sent. */
  void fail(Exception failure);
}
