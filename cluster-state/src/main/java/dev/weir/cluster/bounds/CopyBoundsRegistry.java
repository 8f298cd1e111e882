package dev.weir.cluster.bounds;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;

/**
 * The newest known bounds of copies of indices that take writes. A copy may have changed since: the
 * bounds say which copies are worth a question. Safe on any thread.
 */
public final class CopyBoundsRegistry implements ClusterViewListener {
  private final Map<Index, Map<CopyId, CopyBounds>> copiesByIndex = new ConcurrentHashMap<>();

  /** Indices of which copies were stored since the newest view came. */
  private final Set<Index> unchecked = ConcurrentHashMap.newKeySet();

  private record CopyId(int shard, String nodeId) {}

  /** Returns the bounds of a copy; null if unknown. */
  public @Nullable CopyBounds find(ShardId shard, String nodeId) {
    Map<CopyId, CopyBounds> copies = copiesByIndex.get(shard.getIndex());
    return copies == null ? null : copies.get(new CopyId(shard.id(), nodeId));
  }

  /** Returns whether no bounds are known. */
  public boolean isEmpty() {
    return copiesByIndex.isEmpty();
  }

  /** Returns the number of copies with known bounds. */
  public int copyCount() {
    return copiesByIndex.values().stream().mapToInt(Map::size).sum();
  }

  /** Returns the number of indices with a copy with known bounds. */
  public int indexCount() {
    return copiesByIndex.size();
  }

  boolean knows(Index index) {
    return copiesByIndex.containsKey(index);
  }

  /** Stores the bounds of a copy. */
  public void store(CopyBounds copy) {
    Index index = copy.shard().getIndex();
    copiesByIndex
        .computeIfAbsent(index, absent -> new ConcurrentHashMap<>())
        .put(new CopyId(copy.shard().id(), copy.nodeId()), copy);
    unchecked.add(index); // after the copy, so that the next view checks it
  }

  /** Replaces bounds, unless they were replaced or removed meanwhile. */
  void replace(CopyBounds old, CopyBounds now) {
    copiesByIndex.computeIfPresent(
        old.shard().getIndex(),
        (index, copies) -> {
          copies.replace(new CopyId(old.shard().id(), old.nodeId()), old, now);
          return copies;
        });
  }

  /** Removes bounds, unless they were replaced meanwhile. */
  void remove(CopyBounds old) {
    copiesByIndex.computeIfPresent(
        old.shard().getIndex(),
        (index, copies) -> {
          copies.remove(new CopyId(old.shard().id(), old.nodeId()), old);
          return copies.isEmpty() ? null : copies;
        });
  }

  /** Removes the bounds of all copies on a node. */
  void removeNode(String nodeId) {
    for (Index index : copiesByIndex.keySet()) {
      retain(index, copy -> !copy.nodeId().equals(nodeId));
    }
  }

  /** Removes everything. */
  void clear() {
    copiesByIndex.clear();
  }

  @Override
  public void onChange(ClusterView before, ClusterView now) {
    for (Index index : copiesByIndex.keySet()) {
      if (unchecked.remove(index)
          || IndexChangeDetector.isChanged(before.state(), now.state(), index.getName())) {
        retain(index, copy -> isActive(now, index, copy));
      }
    }
    unchecked.removeIf(index -> !knows(index));
  }

  private static boolean isActive(ClusterView view, Index index, CopyId copy) {
    IndexRoutingTable table = view.state().routingTable().index(index);
    IndexShardRoutingTable shard = table == null ? null : table.shard(copy.shard());
    IndexMetadata metadata = view.state().metadata().index(index);
    if (shard == null
        || metadata == null
        || metadata.getState() != IndexMetadata.State.OPEN
        || SealedIndexChecker.isSealed(view.state(), metadata)) { // has the bounds of an index
      return false;
    }
    for (ShardRouting active : shard.activeShards()) {
      if (copy.nodeId().equals(active.currentNodeId())) {
        return true;
      }
    }
    return false;
  }

  private void retain(Index known, Predicate<CopyId> keep) {
    copiesByIndex.computeIfPresent(
        known,
        (index, copies) -> {
          copies.keySet().removeIf(keep.negate());
          return copies.isEmpty() ? null : copies;
        });
  }
}
