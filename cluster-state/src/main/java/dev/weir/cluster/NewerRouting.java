package dev.weir.cluster;

import java.util.HashMap;
import java.util.Map;
import org.opensearch.cluster.routing.IndexRoutingTable;

/**
 * The routing of single indices that was read after the newest whole state. A read of some indices
 * takes milliseconds where one of the whole state takes a second, so views have it first. Guarded
 * by the publisher.
 *
 * <p>A view is a whole state at one position, except that the routing of single indices may be
 * newer than that, never older: it stays until a whole state as new is read, which another node may
 * have served. Metadata, nodes and blocks are never mixed, so an alias that moves from one index to
 * another does so in one view.
 */
final class NewerRouting {
  private final Map<String, Entry> entries = new HashMap<>();

  /** The routing of an index as of a position. */
  private record Entry(StatePosition position, IndexRoutingTable table) {}

  /** Takes routing that was read from a state that is newer than the newest whole state. */
  void add(StatePosition position, Iterable<IndexRoutingTable> tables) {
    for (IndexRoutingTable table : tables) {
      entries.merge(
          table.getIndex().getName(),
          new Entry(position, table),
          (before, now) -> before.position().compareTo(now.position()) > 0 ? before : now);
    }
  }

  /** Returns a view with what is newer. */
  ClusterView addTo(ClusterView view) {
    if (entries.isEmpty()) {
      return view;
    }
    long version = 0;
    for (Entry entry : entries.values()) {
      version = Math.max(version, entry.position().version());
    }
    return view.withRouting(entries.values().stream().map(Entry::table).toList(), version);
  }

  /** Drops what is not newer than a whole state. */
  void dropUpTo(StatePosition position) {
    entries.values().removeIf(entry -> entry.position().compareTo(position) <= 0);
  }

  /** Drops everything: another cluster is followed, or an earlier state of the same one. */
  void clear() {
    entries.clear();
  }
}
