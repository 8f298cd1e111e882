package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;

/**
 * One search as the client sent it, which can be planned against any view of the cluster. Confined
 * to the request's event loop.
 */
public interface PlannableSearch {
  /**
   * Plans the search.
   *
   * @throws Exception what the search fails with before it sends anything
   */
  PreparedSearch prepare(ClusterView view) throws Exception;

  /** Whether planning may have failed only because {@code view} was stale. */
  boolean isStaleViewFailure(Exception failure, ClusterView view);

  /** A view was read for the search after its request had arrived. */
  default void onViewRefreshed(ClusterView fresh) {}

  /** Whether {@code fresh} shows another cluster state than {@code stale}. */
  boolean hasClusterChanged(ClusterView stale, ClusterView fresh);

  /** Fails the search before it sent anything. */
  void fail(Exception failure);
}
