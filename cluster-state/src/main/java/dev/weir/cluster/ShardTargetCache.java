package dev.weir.cluster;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.opensearch.core.index.Index;

/**
 * Caches the targets of whole indices for requests without a preference. Belongs to a view. Safe on
 * any thread.
 */
final class ShardTargetCache {
  private final ConcurrentHashMap<Index, List<ShardTarget>> byIndex = new ConcurrentHashMap<>();

  /**
   * Returns the targets of all shards of an index, in order.
   *
   * @param factory computes missing targets
   */
  List<ShardTarget> of(Index index, Function<Index, List<ShardTarget>> factory) {
    List<ShardTarget> known = byIndex.get(index);
    return known != null ? known : byIndex.computeIfAbsent(index, factory);
  }
}
