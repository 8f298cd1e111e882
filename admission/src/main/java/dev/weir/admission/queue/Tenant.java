package dev.weir.admission.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What waits of one tenant, and its place among the tenants by start-time fair queueing (Goyal et
 * al. 1996): it gets on by what its requests cost over its weight, and who is behind goes next.
 * Guarded by the lock of its queue.
 */
final class Tenant<T> {
  final String name;
  private final Map<Key, Deque<Place<T>>> lines = new LinkedHashMap<>();
  private int waiting;

  /** Where it stands; what waits next begins there. */
  double start;

  /** Where it will stand when what was let in is done. */
  private double finish;

  private double weight = 1;

  private record Key(Backlog backlog, int costClass) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.backlog == backlog && key.costClass == costClass;
    }

    @Override
    public int hashCode() {
      return 31 * System.identityHashCode(backlog) + costClass;
    }
  }

  Tenant(String name) {
    this.name = name;
  }

  int waiting() {
    return waiting;
  }

  /** Takes its place at a virtual time. */
  void wakes(double virtual, double share) {
    start = Math.max(virtual, finish);
    weight = share;
  }

  /** How much more than another it may have; as it was when it took its place. */
  double weight() {
    return weight;
  }

  /** Whether it has got on past a virtual time that all others have reached. */
  boolean ahead(double virtual) {
    return finish > virtual;
  }

  /** One of its requests goes. */
  void pays(double cost) {
    finish = start + cost / weight;
    start = finish;
  }

  void add(Place<T> place) {
    lines.computeIfAbsent(key(place), line -> new ArrayDeque<>()).add(place);
    waiting++;
  }

  void remove(Place<T> place) {
    Deque<Place<T>> line = lines.get(key(place));
    if (line == null || !line.remove(place)) { // its head, but for what leaves or expires
      throw new IllegalStateException("got a place that does not wait (expected: one that does)");
    }
    waiting--;
    if (line.isEmpty()) {
      lines.remove(key(place));
    }
  }

  private static Key key(Place<?> place) {
    Backlog backlog = place.backlog;
    if (backlog == null) {
      throw new IllegalStateException("got a place without a backlog (expected: one that waits)");
    }
    return new Key(backlog, place.asking.costClass());
  }

  /** The first of each line. */
  List<Place<T>> heads() {
    List<Place<T>> heads = new ArrayList<>(lines.size());
    for (Deque<Place<T>> line : lines.values()) {
      heads.add(line.element());
    }
    return heads;
  }

  /** How many of those that wait for the same nodes have their turn before a moment. */
  int before(Backlog backlog, double turn) {
    int count = 0;
    for (Map.Entry<Key, Deque<Place<T>>> line : lines.entrySet()) {
      if (line.getKey().backlog() == backlog && line.getValue().element().turn() <= turn) {
        count += line.getValue().size();
      }
    }
    return count;
  }

  /** All that wait. */
  List<Place<T>> all() {
    List<Place<T>> all = new ArrayList<>(waiting);
    lines.values().forEach(all::addAll);
    return all;
  }
}
