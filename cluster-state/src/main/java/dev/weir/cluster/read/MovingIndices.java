package dev.weir.cluster.read;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.ShardRouting;

/**
 * The indices of which a shard is moving: a copy relocates or initializes, or the primary is
 * unassigned. Their routing is the next to change. A replica that stays unassigned is none of
 * these, as a cluster may have many of those forever. Not thread-safe.
 */
public final class MovingIndices {
  private final Set<String> names = new LinkedHashSet<>();
  private BucketedMap<IndexRoutingTable> routing = BucketedMap.empty();

  public MovingIndices() {}

  /** Replaces the routing; takes as long as what changed. */
  public void update(BucketedMap<IndexRoutingTable> changed) {
    if (Identity.isSame(changed, routing)) {
      return;
    }
    for (String name : changed.keysChangedSince(routing)) {
      IndexRoutingTable table = changed.get(name);
      if (table == null || !isMoving(table)) {
        names.remove(name);
      } else {
        names.add(name);
      }
    }
    routing = changed;
  }

  /** Returns whether there are any. */
  public boolean isEmpty() {
    return names.isEmpty();
  }

  /** Returns at most this many; repeated calls return all in turn. */
  public List<String> next(int max) {
    List<String> next = new ArrayList<>(Math.min(max, names.size()));
    for (Iterator<String> all = names.iterator(); all.hasNext() && next.size() < max; ) {
      next.add(all.next());
    }
    if (next.size() < names.size()) {
      next.forEach(names::remove);
      names.addAll(next);
    }
    return next;
  }

  private static boolean isMoving(IndexRoutingTable table) {
    for (IndexShardRoutingTable shard : table) {
      for (ShardRouting copy : shard) {
        if (copy.relocating() || copy.initializing() || (copy.unassigned() && copy.primary())) {
          return true;
        }
      }
    }
    return false;
  }
}
