package dev.weir.cluster;

/** Hears of views that differ from the one before; called on the watching thread, in order. */
@FunctionalInterface
public interface ClusterViewListener {
  /**
   * The newest view changed; must not block.
   *
   * @param before the view before it; the empty one at first
   */
  void onChange(ClusterView before, ClusterView now);
}
