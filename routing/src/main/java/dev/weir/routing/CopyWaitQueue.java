package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What waits for the same nodes: a queue for each class of cost, first come first served. Not
 * thread-safe.
 */
final class CopyWaitQueue<T> {
  final Key key;
  private final Map<Integer, Deque<CopyAssignment<T>>> byClass = new TreeMap<>();
  private int size;

  /** Which nodes; whichever order their copies came in. */
  record Key(Phase phase, List<String> nodes) {
    static Key of(Phase phase, List<ShardCopy> copies) {
      List<String> nodes = new ArrayList<>(copies.size());
      for (ShardCopy copy : copies) {
        nodes.add(copy.nodeId());
      }
      nodes.sort(null);
      return new Key(phase, nodes);
    }
  }

  CopyWaitQueue(Key key) {
    this.key = key;
  }

  int size() {
    return size;
  }

  /** Whether another request of this class is before. */
  boolean hasWaiting(int costClass) {
    return byClass.containsKey(costClass);
  }

  void add(CopyAssignment<T> place) {
    Deque<CopyAssignment<T>> queue =
        byClass.computeIfAbsent(place.costClass, c -> new ArrayDeque<>());
    boolean moved = !queue.isEmpty() && queue.getLast().sequence > place.sequence;
    queue.add(place);
    if (moved) { // one of other copies of which some have left: it keeps its turn
      List<CopyAssignment<T>> all = new ArrayList<>(queue);
      all.sort(Comparator.comparingLong(one -> one.sequence));
      queue.clear();
      queue.addAll(all);
    }
    size++;
  }

  void remove(CopyAssignment<T> place) {
    Deque<CopyAssignment<T>> queue = byClass.get(place.costClass);
    if (queue == null || !queue.remove(place)) { // its head, but for what is cancelled
      throw new IllegalStateException("got a place that does not wait (expected: one that does)");
    }
    size--;
    if (queue.isEmpty()) {
      byClass.remove(place.costClass);
    }
  }

  /** The first of those whose turn is after that place's; null for none. */
  @Nullable CopyAssignment<T> firstAfter(@Nullable CopyAssignment<T> tried) {
    CopyAssignment<T> first = null;
    for (Deque<CopyAssignment<T>> queue : byClass.values()) {
      CopyAssignment<T> head = queue.element();
      boolean later = tried == null || tried.isBefore(head);
      if (later && (first == null || head.isBefore(first))) {
        first = head;
      }
    }
    return first;
  }

  /**
   * One that has waited for as long as it may; null for none. Of those of one cost only the first
   * is looked at: what came by a shorter-lived policy after it waits for it.
   */
  @Nullable CopyAssignment<T> findExpired(long now) {
    for (Deque<CopyAssignment<T>> queue : byClass.values()) {
      CopyAssignment<T> first = queue.element();
      long most = first.routing.policy().lateBinding().maxWait().toNanos();
      if (now - first.arrivedNanos >= most) {
        return first;
      }
    }
    return null;
  }

  /** All that wait. */
  List<CopyAssignment<T>> all() {
    List<CopyAssignment<T>> all = new ArrayList<>(size);
    byClass.values().forEach(all::addAll);
    return all;
  }
}
