package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.routing.estimate.Fleet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps requests at the gateway while every node that could take them has as much under way as it
 * works on at once: a request is bound to a copy when one has room, not before
 * (join-the-idle-queue, Lu et al. 2011). Decides only; the caller sends. Safe on any thread; the
 * lock is held for arithmetic alone.
 *
 * <p>Requests that wait for the same nodes and cost about the same are served first come first
 * served. Otherwise the earliest virtual deadline goes first: arrival plus five times the cost to
 * expect, so that cheap ones do not wait behind heavy ones, and none waits for ever. A request is
 * not bound to a copy with room that is over 1.5 times worse than waiting for a better one. What
 * waited for too long, or does not fit, goes to its best copy whether it has room or not.
 *
 * <p>It hears from the tracker of every request that came to its end, and then binds what waits.
 * Who calls must {@link #tick} every few milliseconds while something waits, in case that no answer
 * comes.
 *
 * @param <T> requests
 */
public final class LateBinding<T> {
  private static final double PATIENCE = 5;
  private static final double MOST_WORSE = 1.5;
  private static final double RATE_STEP_NANOS = 100e6;
  private static final int MOST_TRIES = 8;

  private final NodeLoadTracker tracker;
  private final SwitchingSelector selector;
  private final LongSupplier nanoTime;
  private final Consumer<Place<T>> go;

  // guarded by this
  private final Map<CopySet.Key, CopySet<T>> sets = new HashMap<>();
  private final Map<Node, List<CopySet<T>>> setsOfNode = new HashMap<>();
  private long number;

  private final AtomicInteger answers = new AtomicInteger();
  private volatile long rateFrom;
  private volatile double ratePerNano;
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile Totals totals = new Totals(0, 0, 0, 0);

  private record Node(Phase phase, String id) {}

  /** What a copy is chosen for. */
  private record Wanted(List<ShardCopy> copies, Phase phase, int costClass) {
    static Wanted of(Place<?> place) {
      return new Wanted(place.copies, place.phase, place.costClass);
    }
  }

  /**
   * What became of requests so far.
   *
   * @param waited how many were kept and then bound
   * @param waitedNanos for how long together
   * @param expired how many of them had waited for too long
   * @param unfit how many were sent at once because too many waited
   */
  public record Totals(long waited, long waitedNanos, long expired, long unfit) {}

  /**
   * Makes one without anything waiting.
   *
   * @param go takes a place that waited and is bound now; on whichever thread it happens, without a
   *     lock. The request is sent after {@link #sending}, or given up by {@link #leave}
   */
  public LateBinding(
      NodeLoadTracker tracker,
      SwitchingSelector selector,
      LongSupplier nanoTime,
      Consumer<Place<T>> go) {
    this.tracker = tracker;
    this.selector = selector;
    this.nanoTime = nanoTime;
    this.go = go;
    this.rateFrom = nanoTime.getAsLong();
    tracker.onSettled(this::settled);
  }

  /**
   * Takes a request.
   *
   * @param copies as good as each other to the request, as the selector ordered them; at least one
   * @param fresh whether they were ordered just now, so that the first may be there to be tried out
   * @param policy that it goes by, also while it waits
   * @return where to send it now; or a place without a copy: then it is kept, and {@code go} hears
   *     of it once, unless it leaves before
   */
  public Place<T> offer(
      T request,
      List<ShardCopy> copies,
      Phase phase,
      int costClass,
      boolean fresh,
      RequestPolicy policy) {
    long now = nanoTime.getAsLong();
    Routed routed = selector.routed(policy);
    Place<T> place = new Place<>(request, copies, phase, costClass, now, routed);
    RankedSelector by = routed.binding();
    ShardCopy copy = atOnce(by, place, fresh, now);
    if (copy == null && by != null && waiting.get() == 0) {
      copy = choose(by, Wanted.of(place), LateBinding::any, now);
    }
    if (copy == null && by != null) {
      copy = offer(by, place, now);
    }
    if (copy != null) {
      place.bindTo(copy, Place.Stand.OVER);
    }
    return place;
  }

  /** The copy of a request that does not wait; null for one that may have to. */
  private @Nullable ShardCopy atOnce(
      @Nullable RankedSelector by, Place<T> place, boolean fresh, long now) {
    ShardCopy first = place.copies.getFirst();
    RankedSelector ranked = place.by.ranked();
    // one that is to tell how its node does goes at once: its node settles nothing to wait for
    if (ranked == null
        || place.copies.size() < 2
        || (fresh && ranked.onTrial(first, tracker.state(first.nodeId(), place.phase), now))) {
      return first;
    }
    // the same search may have sent to that node since the copies were put in order
    return by == null ? best(ranked, place, now) : null;
  }

  /**
   * Chooses for a request that must not go to some of its copies now, and is not kept.
   *
   * @param policy that it goes by
   * @param may which nodes it may go to
   * @return null when it had better come again, once it may go to others
   */
  public @Nullable ShardCopy now(
      List<ShardCopy> copies,
      Phase phase,
      int costClass,
      RequestPolicy policy,
      Predicate<String> may) {
    long now = nanoTime.getAsLong();
    RankedSelector by = selector.routed(policy).binding();
    ShardCopy first = copies.getFirst();
    if (by == null) {
      return may.test(first.nodeId()) ? first : null;
    }
    return choose(by, new Wanted(copies, phase, costClass), may, now);
  }

  private synchronized @Nullable ShardCopy offer(RankedSelector by, Place<T> place, long now) {
    CopySet.Key key = CopySet.Key.of(place.phase, place.copies);
    CopySet<T> set = sets.get(key);
    if (set == null || !set.waits(place.costClass)) {
      ShardCopy copy = choose(by, Wanted.of(place), LateBinding::any, now);
      if (copy != null) {
        return copy;
      }
    }
    if ((set == null ? 0 : set.size()) >= by.policy().lateBinding().queue()) {
      count(0, 1);
      return best(by, place, now);
    }
    Fleet fleet = tracker.fleet(place.phase);
    double patience = PATIENCE * fleet.cost(place.costClass) * Math.exp(fleet.logServiceNanos());
    place.deadlineNanos = now + (long) Math.min(1e12, patience);
    place.number = number++;
    place.kept = true;
    keep(key, place);
    return null;
  }

  private void keep(CopySet.Key key, Place<T> place) {
    CopySet<T> set = sets.get(key);
    if (set == null) {
      set = new CopySet<>(key);
      sets.put(key, set);
      for (String node : key.nodes()) {
        setsOfNode.computeIfAbsent(new Node(key.phase(), node), id -> new ArrayList<>()).add(set);
      }
    }
    set.add(place);
    place.set = set;
    waiting.incrementAndGet();
  }

  /** A place that {@code go} heard of: whether it may be sent now, which is then counted. */
  public synchronized boolean sending(Place<T> place) {
    if (place.stand != Place.Stand.BOUND) {
      return false;
    }
    over(place);
    return true;
  }

  /** Gives a place up, whether it waits or was bound; does nothing once it was sent. */
  public void leave(Place<T> place) {
    List<Place<T>> bound = new ArrayList<>();
    synchronized (this) {
      switch (place.stand) {
        case WAITING -> {
          remove(place);
          place.stand = Place.Stand.OVER;
        }
        case BOUND -> {
          NodeState node = over(place);
          if (node != null) {
            drain(new Node(node.phase, node.nodeId), bound);
          }
        }
        case OVER -> {
          // nothing is left of it
        }
      }
    }
    bound.forEach(go);
  }

  /** Ends a place's stay; returns the node that kept room for it. */
  private @Nullable NodeState over(Place<T> place) {
    place.stand = Place.Stand.OVER;
    NodeState node = place.node;
    place.node = null;
    if (node != null) {
      node.promise(-1);
    }
    return node;
  }

  /** Binds what waited for too long, and whatever can be. */
  public void tick() {
    List<Place<T>> bound = new ArrayList<>();
    synchronized (this) {
      long now = nanoTime.getAsLong();
      for (CopySet<T> set : List.copyOf(sets.values())) {
        Place<T> expired = set.expired(now);
        while (expired != null) {
          count(1, 0);
          bind(expired, best(expired, now), bound);
          expired = set.expired(now);
        }
      }
      List.copyOf(setsOfNode.keySet()).forEach(node -> drain(node, bound));
    }
    bound.forEach(go);
  }

  /** Only these nodes are left: what waits for others waits for the rest of its copies. */
  public void retainOnly(Set<String> nodeIds) {
    List<Place<T>> bound = new ArrayList<>();
    synchronized (this) {
      List<Place<T>> moved = new ArrayList<>();
      for (Place<T> place : all()) {
        if (place.copies.stream().anyMatch(copy -> !nodeIds.contains(copy.nodeId()))) {
          moved.add(place);
        }
      }
      for (Place<T> place : moved) {
        List<ShardCopy> left =
            place.copies.stream().filter(copy -> nodeIds.contains(copy.nodeId())).toList();
        if (left.isEmpty()) {
          bind(place, place.copies.getFirst(), bound);
        } else {
          move(place, left, bound);
        }
      }
      List.copyOf(setsOfNode.keySet()).forEach(node -> drain(node, bound));
    }
    bound.forEach(go);
  }

  private void move(Place<T> place, List<ShardCopy> left, List<Place<T>> bound) {
    CopySet.Key key = CopySet.Key.of(place.phase, left);
    CopySet<T> there = sets.get(key);
    if (there != null && there.size() >= place.by.policy().lateBinding().queue()) {
      count(0, 1);
      place.copies = left;
      bind(place, best(place, nanoTime.getAsLong()), bound);
    } else {
      remove(place);
      place.copies = left;
      keep(key, place);
    }
  }

  private void count(int expired, int unfit) {
    Totals so = totals;
    totals = new Totals(so.waited, so.waitedNanos, so.expired + expired, so.unfit + unfit);
  }

  private void settled(NodeState state) {
    answers.incrementAndGet();
    long now = nanoTime.getAsLong();
    boolean due = now - rateFrom > RATE_STEP_NANOS;
    if (waiting.get() == 0 && !due) {
      return;
    }
    List<Place<T>> bound = new ArrayList<>(2);
    synchronized (this) {
      if (due) {
        updateRate(now);
      }
      if (waiting.get() > 0) {
        drain(new Node(state.phase, state.nodeId), bound);
      }
    }
    bound.forEach(go);
  }

  private void updateRate(long now) {
    if (now - rateFrom > RATE_STEP_NANOS) {
      double rate = answers.getAndSet(0) / (double) (now - rateFrom);
      ratePerNano = ratePerNano == 0 ? rate : (ratePerNano + rate) / 2;
      rateFrom = now;
    }
  }

  /** Binds what waits for a node, while it has room. */
  private void drain(Node node, List<Place<T>> bound) {
    List<CopySet<T>> of = setsOfNode.get(node);
    boolean went = of != null;
    while (went && tracker.state(node.id(), node.phase()).hasRoom()) {
      went = of != null && bindOne(of, bound);
    }
  }

  /** Binds the first in turn of those that a copy can be chosen for; whether there was one. */
  private boolean bindOne(List<CopySet<T>> of, List<Place<T>> bound) {
    long now = nanoTime.getAsLong();
    Place<T> tried = null;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      Place<T> first = null;
      for (CopySet<T> set : of) {
        Place<T> head = set.firstAfter(tried);
        first = first == null || (head != null && head.isBefore(first)) ? head : first;
      }
      if (first == null) {
        return false;
      }
      RankedSelector by = first.by.ranked();
      ShardCopy copy =
          by == null
              ? first.copies.getFirst()
              : choose(by, Wanted.of(first), LateBinding::any, now);
      if (copy != null) {
        bind(first, copy, bound);
        return true;
      }
      tried = first;
    }
    return false;
  }

  private void bind(Place<T> place, ShardCopy copy, List<Place<T>> bound) {
    remove(place);
    place.bindTo(copy, Place.Stand.BOUND);
    NodeState node = tracker.state(copy.nodeId(), place.phase);
    node.promise(1);
    place.node = node;
    long nanos = Math.max(0, nanoTime.getAsLong() - place.arrivedNanos);
    Totals so = totals;
    totals = new Totals(so.waited + 1, so.waitedNanos + nanos, so.expired, so.unfit);
    bound.add(place);
  }

  private void remove(Place<T> place) {
    CopySet<T> set = place.set;
    if (set == null) {
      throw new IllegalStateException("got a place that does not wait (expected: one that does)");
    }
    place.set = null;
    set.remove(place);
    waiting.decrementAndGet();
    if (set.size() == 0) {
      sets.remove(set.key);
      for (String id : set.key.nodes()) {
        Node node = new Node(set.key.phase(), id);
        List<CopySet<T>> of = setsOfNode.get(node);
        if (of != null && of.remove(set) && of.isEmpty()) {
          setsOfNode.remove(node);
        }
      }
    }
  }

  private List<Place<T>> all() {
    List<Place<T>> all = new ArrayList<>(waiting.get());
    sets.values().forEach(set -> all.addAll(set.all()));
    all.sort(Comparator.comparingLong(place -> place.number));
    return all;
  }

  /** How many requests wait. */
  public int waiting() {
    return waiting.get();
  }

  /** What became of requests so far. */
  public Totals totals() {
    return totals;
  }

  /**
   * The copy to send to now; null to wait. A node that it may not go to counts as full. Ejected
   * nodes count only where all are; little known ones have room for as much as they may get, unless
   * all are little known.
   */
  private @Nullable ShardCopy choose(
      RankedSelector by, Wanted wanted, Predicate<String> may, long now) {
    List<ShardCopy> copies = wanted.copies;
    ShardCopy first = copies.getFirst();
    boolean allWarming = true;
    boolean allEjected = true;
    for (int i = 0; i < copies.size(); i++) {
      NodeState state = tracker.state(copies.get(i).nodeId(), wanted.phase);
      boolean ejected = state.faults().ejected();
      allEjected &= ejected;
      allWarming &= ejected || state.slowStartIsFull(by.policy().health());
    }
    if (allEjected) {
      return may.test(first.nodeId()) ? first : null;
    }
    ShardCopy best = null;
    double bestScore = Double.POSITIVE_INFINITY;
    double bestFull = Double.POSITIVE_INFINITY;
    for (int i = 0; i < copies.size(); i++) {
      ShardCopy copy = copies.get(i);
      NodeState state = tracker.state(copy.nodeId(), wanted.phase);
      if (state.faults().ejected()) {
        continue;
      }
      double score = by.score(copy, state, wanted.costClass, now);
      if (!may.test(copy.nodeId())
          || !state.hasRoom()
          || (!allWarming && state.slowStartIsFull(by.policy().health()))) {
        bestFull = Math.min(bestFull, score);
      } else if (best == null || score < bestScore) {
        best = copy;
        bestScore = score;
      }
    }
    double rate = ratePerNano;
    if (best == null || rate == 0) {
      return best;
    }
    return bestScore > MOST_WORSE * (bestFull + (waiting.get() + 1) / rate) ? null : best;
  }

  private static boolean any(String nodeId) {
    return true;
  }

  private ShardCopy best(Place<T> place, long now) {
    RankedSelector by = place.by.ranked();
    return by == null ? place.copies.getFirst() : best(by, place, now);
  }

  /** The best copy, whether it has room or not. */
  private ShardCopy best(RankedSelector by, Place<T> place, long now) {
    ShardCopy best = place.copies.getFirst();
    double lowest = Double.POSITIVE_INFINITY;
    for (ShardCopy copy : place.copies) {
      NodeState state = tracker.state(copy.nodeId(), place.phase);
      if (state.faults().ejected() || state.slowStartIsFull(by.policy().health())) {
        continue;
      }
      double score = by.score(copy, state, place.costClass, now);
      if (score < lowest) {
        best = copy;
        lowest = score;
      }
    }
    return best;
  }
}
