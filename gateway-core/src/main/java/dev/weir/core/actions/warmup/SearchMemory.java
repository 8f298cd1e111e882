package dev.weir.core.actions.warmup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.index.Index;

/**
 * The newest searches of each index, by shape, within bounds of their number and bytes. The shape
 * that was not seen for the longest time goes first. Safe on any thread; a lock is held for some
 * operations on maps.
 */
final class SearchMemory {
  static final int MAX_INDICES = 500;
  static final int MAX_EXAMPLES = 4;

  private final int maxBytes;
  private final Map<Index, Map<Long, Deque<RememberedSearch>>> byIndex = new LinkedHashMap<>();
  private long bytes;

  SearchMemory(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Adds a search, unless an equal one is there; drops what is beyond the bounds. */
  synchronized void add(Index index, long shape, RememberedSearch search, int maxShapes) {
    if (search.heapBytes() > maxBytes) {
      return;
    }
    Map<Long, Deque<RememberedSearch>> shapes = byIndex.remove(index);
    if (shapes == null) {
      shapes = new LinkedHashMap<>();
    }
    byIndex.put(index, shapes); // the newest comes last
    Deque<RememberedSearch> examples = shapes.remove(shape);
    if (examples == null) {
      examples = new ArrayDeque<>(MAX_EXAMPLES);
    }
    shapes.put(shape, examples);
    if (!examples.contains(search)) {
      examples.addLast(search);
      bytes += search.heapBytes();
    }
    if (examples.size() > MAX_EXAMPLES) {
      bytes -= examples.removeFirst().heapBytes();
    }
    while (shapes.size() > maxShapes) {
      removeEldest(shapes);
    }
    while (bytes > maxBytes || byIndex.size() > MAX_INDICES) {
      removeEldestIndexOrShape();
    }
  }

  private void removeEldestIndexOrShape() {
    Iterator<Map<Long, Deque<RememberedSearch>>> indices = byIndex.values().iterator();
    Map<Long, Deque<RememberedSearch>> eldest = indices.next();
    removeEldest(eldest);
    if (eldest.isEmpty()) {
      indices.remove();
    }
  }

  private void removeEldest(Map<Long, Deque<RememberedSearch>> shapes) {
    Iterator<Deque<RememberedSearch>> eldest = shapes.values().iterator();
    for (RememberedSearch search : eldest.next()) {
      bytes -= search.heapBytes();
    }
    eldest.remove();
  }

  /** Returns the searches of an index, the newest shape first. */
  synchronized List<RememberedSearch> searchesOf(Index index) {
    @Nullable Map<Long, Deque<RememberedSearch>> shapes = byIndex.get(index);
    List<RememberedSearch> found = new ArrayList<>();
    if (shapes != null) {
      for (Deque<RememberedSearch> examples : shapes.values()) {
        found.addAll(examples);
      }
    }
    return List.copyOf(found.reversed());
  }

  /** Returns the indices of which searches are remembered. */
  synchronized List<Index> indices() {
    return List.copyOf(byIndex.keySet());
  }

  /** Forgets some indices. */
  synchronized void forget(Collection<Index> indices) {
    for (Index index : indices) {
      Map<Long, Deque<RememberedSearch>> shapes = byIndex.remove(index);
      if (shapes != null) {
        shapes.values().forEach(all -> all.forEach(one -> bytes -= one.heapBytes()));
      }
    }
  }

  /** Forgets everything. */
  synchronized void clear() {
    byIndex.clear();
    bytes = 0;
  }

  /** Returns how many searches are remembered. */
  synchronized int size() {
    int size = 0;
    for (Map<Long, Deque<RememberedSearch>> shapes : byIndex.values()) {
      for (Deque<RememberedSearch> examples : shapes.values()) {
        size += examples.size();
      }
    }
    return size;
  }

  /** Returns the heap that the searches take, in bytes, roughly. */
  synchronized long bytes() {
    return bytes;
  }
}
