package dev.weir.cluster;

/** Receives views that differ from the one before. Called on the polling thread, in order. */
@FunctionalInterface
public interface ClusterViewListener {
  /**
   * The newest view changed; must not block.
   *
   * @param before the previous view; the empty view at first
   */
  void onChange(ClusterView before, ClusterView now);

  /**
   * The newest view is about to change: requests still use the previous one. Must not block.
   *
   * @param before the previous view; the empty view at first
   */
  default void beforeChange(ClusterView before, ClusterView next) {}
}
