package dev.weir.cluster;

import dev.weir.cluster.read.Identity;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.core.index.Index;

/**
 * Caches the targets of whole indices for requests without a preference. Shared by views with the
 * same nodes: an entry is valid for one routing of its index. Safe on any thread.
 */
final class ShardTargetCache {
  /** Entries of deleted indices are dropped once there are this many entries for each index. */
  private static final int MAX_ENTRIES_PER_INDEX = 2;

  private static final int MIN_ENTRIES = 1000;

  private final ConcurrentHashMap<Index, Entry> byIndex = new ConcurrentHashMap<>();

  /** The targets of an index with this routing. */
  private record Entry(IndexRoutingTable routing, List<ShardTarget> targets) {}

  /**
   * Returns the targets of all shards of an index, in order.
   *
   * @param factory computes missing targets
   */
  List<ShardTarget> of(IndexRoutingTable routing, Supplier<List<ShardTarget>> factory) {
    Entry known = byIndex.get(routing.getIndex());
    if (known != null && Identity.isSame(known.routing(), routing)) {
      return known.targets();
    }
    List<ShardTarget> targets = factory.get();
    byIndex.put(routing.getIndex(), new Entry(routing, targets));
    return targets;
  }

  /** Drops the entries of deleted indices if there may be many; returns this cache. */
  ShardTargetCache retainOnly(RoutingTable routing) {
    int bound = Math.max(MIN_ENTRIES, MAX_ENTRIES_PER_INDEX * routing.indicesRouting().size());
    if (byIndex.size() > bound) {
      byIndex.keySet().removeIf(index -> !routing.hasIndex(index));
    }
    return this;
  }

  int size() {
    return byIndex.size();
  }
}
