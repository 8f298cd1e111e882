package dev.weir.admission.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one tenant that need the same nodes and cost about the same, in the order in which
 * they came. Guarded by the lock of its queue.
 *
 * @param <T> requests
 */
final class Line<T> {
  final Tenant<T> tenant;
  final Key key;
  private final Spot<T> spot;
  private final Deque<Place<T>> places = new ArrayDeque<>();
  private List<Crowd<T>> stoppedAt = List.of();

  /**
   * What those in a line have in common.
   *
   * @param layout of each need the nodes that will do
   * @param longest the need that they are expected to wait longest for
   */
  record Key(List<List<String>> layout, List<String> longest, int costClass) {}

  /**
   * Where a request waits.
   *
   * @param need the one that it is expected to wait longest for
   * @param longest at the nodes of that need
   * @param all at all nodes that it may go to
   */
  record Spot<T>(Demand.Need need, List<Crowd<T>> longest, List<Crowd<T>> all) {
    /** Where it is judged: at that node of its need where fewest stood still lately. */
    Crowd<T> judged() {
      Crowd<T> judged = longest.getFirst();
      for (Crowd<T> other : longest) {
        judged = other.stoppedLately() < judged.stoppedLately() ? other : judged;
      }
      return judged;
    }

    void added(long now) {
      longest.forEach(crowd -> crowd.longest.added(now));
      all.forEach(crowd -> crowd.all.added(now));
    }

    void removed() {
      longest.forEach(crowd -> crowd.longest.removed());
      all.forEach(crowd -> crowd.all.removed());
    }

    /** One of what waits goes now; call before it is removed. */
    void went(long now) {
      longest.forEach(crowd -> crowd.longest.went(now));
      all.forEach(crowd -> crowd.all.went(now));
    }
  }

  Line(Tenant<T> tenant, Key key, Spot<T> spot) {
    this.tenant = tenant;
    this.key = key;
    this.spot = spot;
  }

  Spot<T> spot() {
    return spot;
  }

  int size() {
    return places.size();
  }

  /** The first; there is one. */
  Place<T> head() {
    return places.element();
  }

  Iterable<Place<T>> places() {
    return places;
  }

  /** Takes a place at the end. */
  void add(Place<T> place, long now) {
    places.add(place);
    stoppedAt.forEach(crowd -> crowd.stoppedPlaces++);
    spot.added(now);
  }

  void remove(Place<T> place) {
    if (!places.remove(place)) { // the head, but for what leaves or expires
      throw new IllegalStateException("got a place that does not wait (expected: one that does)");
    }
    stoppedAt.forEach(crowd -> crowd.stoppedPlaces--);
    spot.removed();
    if (places.isEmpty()) {
      stopsAt(null);
    }
  }

  /** Stands still until one of the nodes of a need has room; null for none of them. */
  void stopsAt(Demand.@Nullable Need need) {
    for (Crowd<T> crowd : stoppedAt) {
      crowd.stopped.remove(this);
      crowd.stoppedPlaces -= size();
    }
    List<Crowd<T>> at = new ArrayList<>(2);
    if (need != null) {
      for (Crowd<T> crowd : spot.all()) {
        if (need.nodes().contains(crowd.nodeId)) {
          crowd.stopped.add(this);
          crowd.stoppedPlaces += size();
          at.add(crowd);
        }
      }
    }
    stoppedAt = at;
  }

  /** A node at which it stands still; null when it does nowhere. */
  @Nullable Crowd<T> stoppedAt() {
    return stoppedAt.isEmpty() ? null : stoppedAt.getFirst();
  }

  /**
   * Whether it is its turn before another's.
   *
   * @param firstCome by when they came, and not by their virtual deadlines
   */
  boolean before(Line<T> other, boolean firstCome) {
    if (tenant != other.tenant) {
      int order = Double.compare(tenant.start(), other.tenant.start());
      return order == 0 ? tenant.name.compareTo(other.tenant.name) < 0 : order < 0;
    }
    return firstCome ? head().number < other.head().number : head().turn() < other.head().turn();
  }
}
