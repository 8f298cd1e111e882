package dev.weir.admission.queue;

import java.util.ArrayList;
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
  private final Map<Line.Key, Line<T>> lines = new LinkedHashMap<>();
  private int waiting;

  /** Where it stands; what waits next begins there. */
  private double start;

  private double weight = 1;

  Tenant(String name) {
    this.name = name;
  }

  int waiting() {
    return waiting;
  }

  double start() {
    return start;
  }

  /** Takes its place at a virtual time, or where it had got to. */
  void wakes(double virtual, double share) {
    start = Math.max(virtual, start);
    weight = share;
  }

  /** How much more than another it may have; as it was when it took its place. */
  double weight() {
    return weight;
  }

  /** One of its requests goes. */
  void pays(double cost) {
    start += cost / weight;
  }

  /** Adds a place at the end of its line. */
  Line<T> add(Place<T> place, Line.Spot<T> spot, long now) {
    Demand demand = place.asking.demand();
    Line.Key key = new Line.Key(demand.layout(), spot.need().nodes(), place.asking.costClass());
    Line<T> line = lines.computeIfAbsent(key, one -> new Line<>(this, one, spot));
    line.add(place, now);
    waiting++;
    return line;
  }

  void remove(Place<T> place, Line<T> line) {
    line.remove(place);
    waiting--;
    if (line.size() == 0) {
      lines.remove(line.key);
    }
  }

  /** How many of those that wait longest at a node have their turn before a moment. */
  int before(Crowd<T> crowd, double turn) {
    int count = 0;
    for (Line<T> line : lines.values()) {
      if (line.spot().longest().contains(crowd) && line.head().turn() <= turn) {
        count += line.size();
      }
    }
    return count;
  }

  /** All that wait. */
  List<Place<T>> all() {
    List<Place<T>> all = new ArrayList<>(waiting);
    lines.values().forEach(line -> line.places().forEach(all::add));
    return all;
  }
}
