package dev.weir.cluster;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.opensearch.core.index.Index;

/**
 * The targets of whole indices for requests that leave the choice of copies free, kept with a view.
 * Safe on any thread.
 */
final class ShardTargetCache {
  private final ConcurrentHashMap<Index, List<ShardTarget>> byIndex = new ConcurrentHashMap<>();

  /** All shards of an index, in order. */
  List<ShardTarget> of(Index index, Function<Index, List<ShardTarget>> make) {
    List<ShardTarget> known = byIndex.get(index);
    return known != null ? known : byIndex.computeIfAbsent(index, make);
  }
}
