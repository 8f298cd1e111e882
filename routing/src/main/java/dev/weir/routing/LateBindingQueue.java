package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.routing.estimate.FleetStatistics;
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
public final class LateBindingQueue<T> {
  private static final double MAX_WAIT_FACTOR = 5;
  private static final double MAX_SCORE_RATIO = 1.5;
  private static final double RATE_STEP_NANOS = 100e6;
  private static final int MAX_TRIES = 8;

  private final NodeLoadTracker tracker;
  private final PolicyAwareSelector selector;
  private final LongSupplier nanoTime;
  private final Consumer<CopyAssignment<T>> onBound;

  // guarded by this
  private final Map<CopyWaitQueue.Key, CopyWaitQueue<T>> queues = new HashMap<>();
  private final Map<NodePhase, List<CopyWaitQueue<T>>> queuesByNode = new HashMap<>();
  private long nextSequence;

  private final AtomicInteger answers = new AtomicInteger();
  private volatile long rateStartNanos;
  private volatile double ratePerNano;
  private final AtomicInteger waitingCount = new AtomicInteger();
  private volatile Totals totals = new Totals(0, 0, 0, 0);

  private record NodePhase(Phase phase, String id) {}

  /** What a copy is chosen for. */
  private record CopyCandidates(List<ShardCopy> copies, Phase phase, int costClass) {
    static CopyCandidates of(CopyAssignment<?> place) {
      return new CopyCandidates(place.copies, place.phase, place.costClass);
    }
  }

  /**
   * What became of requests so far.
   *
   * @param delayedRequests how many were kept and then bound
   * @param delayNanos for how long together
   * @param expiredRequests how many of them had waited for too long
   * @param overflowRequests how many were sent at once because too many waited
   */
  public record Totals(
      long delayedRequests, long delayNanos, long expiredRequests, long overflowRequests) {}

  /**
   * Makes one without anything waiting.
   *
   * @param go takes a place that waited and is bound now; on whichever thread it happens, without a
   *     lock. The request is sent after {@link #startSending}, or given up by {@link #abandon}
   */
  public LateBindingQueue(
      NodeLoadTracker tracker,
      PolicyAwareSelector selector,
      LongSupplier nanoTime,
      Consumer<CopyAssignment<T>> go) {
    this.tracker = tracker;
    this.selector = selector;
    this.nanoTime = nanoTime;
    this.onBound = go;
    this.rateStartNanos = nanoTime.getAsLong();
    tracker.onRequestFinished(this::onRequestFinished);
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
  public CopyAssignment<T> offer(
      T request,
      List<ShardCopy> copies,
      Phase phase,
      int costClass,
      boolean fresh,
      RequestPolicy policy) {
    long now = nanoTime.getAsLong();
    CompiledRoutingPolicy routed = selector.compiledPolicy(policy);
    CopyAssignment<T> place = new CopyAssignment<>(request, copies, phase, costClass, now, routed);
    ScoringSelector by = routed.lateBindingSelector();
    ShardCopy copy = chooseWithoutWaiting(by, place, fresh, now);
    if (copy == null && by != null && waitingCount.get() == 0) {
      copy = choose(by, CopyCandidates.of(place), LateBindingQueue::isAnyNode, now);
    }
    if (copy == null && by != null) {
      copy = offer(by, place, now);
    }
    if (copy != null) {
      place.bindTo(copy, CopyAssignment.State.FINISHED);
    }
    return place;
  }

  /** The copy of a request that does not wait; null for one that may have to. */
  private @Nullable ShardCopy chooseWithoutWaiting(
      @Nullable ScoringSelector by, CopyAssignment<T> place, boolean fresh, long now) {
    ShardCopy first = place.copies.getFirst();
    ScoringSelector ranked = place.routing.scoringSelector();
    // one that is to tell how its node does goes at once: its node settles nothing to wait for
    if (ranked == null
        || place.copies.size() < 2
        || (fresh && ranked.isTrialDue(first, tracker.state(first.nodeId(), place.phase), now))) {
      return first;
    }
    // the same search may have sent to that node since the copies were put in order
    return by == null ? chooseBest(ranked, place, now) : null;
  }

  /**
   * Chooses for a request that must not go to some of its copies now, and is not kept.
   *
   * @param policy that it goes by
   * @param may which nodes it may go to
   * @return null when it had better come again, once it may go to others
   */
  public @Nullable ShardCopy chooseNow(
      List<ShardCopy> copies,
      Phase phase,
      int costClass,
      RequestPolicy policy,
      Predicate<String> may) {
    long now = nanoTime.getAsLong();
    ScoringSelector by = selector.compiledPolicy(policy).lateBindingSelector();
    ShardCopy first = copies.getFirst();
    if (by == null) {
      return may.test(first.nodeId()) ? first : null;
    }
    return choose(by, new CopyCandidates(copies, phase, costClass), may, now);
  }

  private synchronized @Nullable ShardCopy offer(
      ScoringSelector by, CopyAssignment<T> place, long now) {
    CopyWaitQueue.Key key = CopyWaitQueue.Key.of(place.phase, place.copies);
    CopyWaitQueue<T> set = queues.get(key);
    if (set == null || !set.hasWaiting(place.costClass)) {
      ShardCopy copy = choose(by, CopyCandidates.of(place), LateBindingQueue::isAnyNode, now);
      if (copy != null) {
        return copy;
      }
    }
    if ((set == null ? 0 : set.size()) >= by.policy().lateBinding().maxWaiting()) {
      count(0, 1);
      return chooseBest(by, place, now);
    }
    FleetStatistics fleet = tracker.fleet(place.phase);
    double patience =
        MAX_WAIT_FACTOR * fleet.cost(place.costClass) * Math.exp(fleet.logServiceNanos());
    place.deadlineNanos = now + (long) Math.min(1e12, patience);
    place.sequence = nextSequence++;
    place.hasWaited = true;
    enqueue(key, place);
    return null;
  }

  private void enqueue(CopyWaitQueue.Key key, CopyAssignment<T> place) {
    CopyWaitQueue<T> set = queues.get(key);
    if (set == null) {
      set = new CopyWaitQueue<>(key);
      queues.put(key, set);
      for (String node : key.nodes()) {
        queuesByNode
            .computeIfAbsent(new NodePhase(key.phase(), node), id -> new ArrayList<>())
            .add(set);
      }
    }
    set.add(place);
    place.queue = set;
    waitingCount.incrementAndGet();
  }

  /** A place that {@code go} heard of: whether it may be sent now, which is then counted. */
  public synchronized boolean startSending(CopyAssignment<T> place) {
    if (place.state != CopyAssignment.State.BOUND) {
      return false;
    }
    finish(place);
    return true;
  }

  /** Gives a place up, whether it waits or was bound; does nothing once it was sent. */
  public void abandon(CopyAssignment<T> place) {
    List<CopyAssignment<T>> bound = new ArrayList<>();
    synchronized (this) {
      switch (place.state) {
        case WAITING -> {
          remove(place);
          place.state = CopyAssignment.State.FINISHED;
        }
        case BOUND -> {
          NodePhaseState node = finish(place);
          if (node != null) {
            drain(new NodePhase(node.phase, node.nodeId), bound);
          }
        }
        case FINISHED -> {
          // nothing is left of it
        }
      }
    }
    bound.forEach(onBound);
  }

  /** Ends a place's stay; returns the node that kept room for it. */
  private @Nullable NodePhaseState finish(CopyAssignment<T> place) {
    place.state = CopyAssignment.State.FINISHED;
    NodePhaseState node = place.node;
    place.node = null;
    if (node != null) {
      node.reserve(-1);
    }
    return node;
  }

  /** Binds what waited for too long, and whatever can be. */
  public void tick() {
    List<CopyAssignment<T>> bound = new ArrayList<>();
    synchronized (this) {
      long now = nanoTime.getAsLong();
      for (CopyWaitQueue<T> set : List.copyOf(queues.values())) {
        CopyAssignment<T> expired = set.findExpired(now);
        while (expired != null) {
          count(1, 0);
          bind(expired, chooseBest(expired, now), bound);
          expired = set.findExpired(now);
        }
      }
      List.copyOf(queuesByNode.keySet()).forEach(node -> drain(node, bound));
    }
    bound.forEach(onBound);
  }

  /** Only these nodes are left: what waits for others waits for the rest of its copies. */
  public void retainOnly(Set<String> nodeIds) {
    List<CopyAssignment<T>> bound = new ArrayList<>();
    synchronized (this) {
      List<CopyAssignment<T>> moved = new ArrayList<>();
      for (CopyAssignment<T> place : all()) {
        if (place.copies.stream().anyMatch(copy -> !nodeIds.contains(copy.nodeId()))) {
          moved.add(place);
        }
      }
      for (CopyAssignment<T> place : moved) {
        List<ShardCopy> left =
            place.copies.stream().filter(copy -> nodeIds.contains(copy.nodeId())).toList();
        if (left.isEmpty()) {
          bind(place, place.copies.getFirst(), bound);
        } else {
          move(place, left, bound);
        }
      }
      List.copyOf(queuesByNode.keySet()).forEach(node -> drain(node, bound));
    }
    bound.forEach(onBound);
  }

  private void move(CopyAssignment<T> place, List<ShardCopy> left, List<CopyAssignment<T>> bound) {
    CopyWaitQueue.Key key = CopyWaitQueue.Key.of(place.phase, left);
    CopyWaitQueue<T> there = queues.get(key);
    if (there != null && there.size() >= place.routing.policy().lateBinding().maxWaiting()) {
      count(0, 1);
      place.copies = left;
      bind(place, chooseBest(place, nanoTime.getAsLong()), bound);
    } else {
      remove(place);
      place.copies = left;
      enqueue(key, place);
    }
  }

  private void count(int expired, int unfit) {
    Totals so = totals;
    totals =
        new Totals(
            so.delayedRequests,
            so.delayNanos,
            so.expiredRequests + expired,
            so.overflowRequests + unfit);
  }

  private void onRequestFinished(NodePhaseState state) {
    answers.incrementAndGet();
    long now = nanoTime.getAsLong();
    boolean due = now - rateStartNanos > RATE_STEP_NANOS;
    if (waitingCount.get() == 0 && !due) {
      return;
    }
    List<CopyAssignment<T>> bound = new ArrayList<>(2);
    synchronized (this) {
      if (due) {
        updateRate(now);
      }
      if (waitingCount.get() > 0) {
        drain(new NodePhase(state.phase, state.nodeId), bound);
      }
    }
    bound.forEach(onBound);
  }

  private void updateRate(long now) {
    if (now - rateStartNanos > RATE_STEP_NANOS) {
      double rate = answers.getAndSet(0) / (double) (now - rateStartNanos);
      ratePerNano = ratePerNano == 0 ? rate : (ratePerNano + rate) / 2;
      rateStartNanos = now;
    }
  }

  /** Binds what waits for a node, while it has room. */
  private void drain(NodePhase node, List<CopyAssignment<T>> bound) {
    List<CopyWaitQueue<T>> of = queuesByNode.get(node);
    boolean went = of != null;
    while (went && tracker.state(node.id(), node.phase()).hasCapacity()) {
      went = of != null && bindOne(of, bound);
    }
  }

  /** Binds the first in turn of those that a copy can be chosen for; whether there was one. */
  private boolean bindOne(List<CopyWaitQueue<T>> of, List<CopyAssignment<T>> bound) {
    long now = nanoTime.getAsLong();
    CopyAssignment<T> tried = null;
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      CopyAssignment<T> first = null;
      for (CopyWaitQueue<T> set : of) {
        CopyAssignment<T> head = set.firstAfter(tried);
        first = first == null || (head != null && head.isBefore(first)) ? head : first;
      }
      if (first == null) {
        return false;
      }
      ScoringSelector by = first.routing.scoringSelector();
      ShardCopy copy =
          by == null
              ? first.copies.getFirst()
              : choose(by, CopyCandidates.of(first), LateBindingQueue::isAnyNode, now);
      if (copy != null) {
        bind(first, copy, bound);
        return true;
      }
      tried = first;
    }
    return false;
  }

  private void bind(CopyAssignment<T> place, ShardCopy copy, List<CopyAssignment<T>> bound) {
    remove(place);
    place.bindTo(copy, CopyAssignment.State.BOUND);
    NodePhaseState node = tracker.state(copy.nodeId(), place.phase);
    node.reserve(1);
    place.node = node;
    long nanos = Math.max(0, nanoTime.getAsLong() - place.arrivedNanos);
    Totals so = totals;
    totals =
        new Totals(
            so.delayedRequests + 1, so.delayNanos + nanos, so.expiredRequests, so.overflowRequests);
    bound.add(place);
  }

  private void remove(CopyAssignment<T> place) {
    CopyWaitQueue<T> set = place.queue;
    if (set == null) {
      throw new IllegalStateException("got a place that does not wait (expected: one that does)");
    }
    place.queue = null;
    set.remove(place);
    waitingCount.decrementAndGet();
    if (set.size() == 0) {
      queues.remove(set.key);
      for (String id : set.key.nodes()) {
        NodePhase node = new NodePhase(set.key.phase(), id);
        List<CopyWaitQueue<T>> of = queuesByNode.get(node);
        if (of != null && of.remove(set) && of.isEmpty()) {
          queuesByNode.remove(node);
        }
      }
    }
  }

  private List<CopyAssignment<T>> all() {
    List<CopyAssignment<T>> all = new ArrayList<>(waitingCount.get());
    queues.values().forEach(set -> all.addAll(set.all()));
    all.sort(Comparator.comparingLong(place -> place.sequence));
    return all;
  }

  /** How many requests wait. */
  public int waitingCount() {
    return waitingCount.get();
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
      ScoringSelector by, CopyCandidates wanted, Predicate<String> may, long now) {
    List<ShardCopy> copies = wanted.copies;
    ShardCopy first = copies.getFirst();
    boolean allWarming = true;
    boolean allEjected = true;
    for (int i = 0; i < copies.size(); i++) {
      NodePhaseState state = tracker.state(copies.get(i).nodeId(), wanted.phase);
      boolean ejected = state.failures().ejected();
      allEjected &= ejected;
      allWarming &= ejected || state.isSlowStartFull(by.policy().health());
    }
    if (allEjected) {
      return may.test(first.nodeId()) ? first : null;
    }
    ShardCopy best = null;
    double bestScore = Double.POSITIVE_INFINITY;
    double bestFull = Double.POSITIVE_INFINITY;
    for (int i = 0; i < copies.size(); i++) {
      ShardCopy copy = copies.get(i);
      NodePhaseState state = tracker.state(copy.nodeId(), wanted.phase);
      if (state.failures().ejected()) {
        continue;
      }
      double score = by.score(copy, state, wanted.costClass, now);
      if (!may.test(copy.nodeId())
          || !state.hasCapacity()
          || (!allWarming && state.isSlowStartFull(by.policy().health()))) {
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
    return bestScore > MAX_SCORE_RATIO * (bestFull + (waitingCount.get() + 1) / rate) ? null : best;
  }

  private static boolean isAnyNode(String nodeId) {
    return true;
  }

  private ShardCopy chooseBest(CopyAssignment<T> place, long now) {
    ScoringSelector by = place.routing.scoringSelector();
    return by == null ? place.copies.getFirst() : chooseBest(by, place, now);
  }

  /** The best copy, whether it has room or not. */
  private ShardCopy chooseBest(ScoringSelector by, CopyAssignment<T> place, long now) {
    ShardCopy best = place.copies.getFirst();
    double lowest = Double.POSITIVE_INFINITY;
    for (ShardCopy copy : place.copies) {
      NodePhaseState state = tracker.state(copy.nodeId(), place.phase);
      if (state.failures().ejected() || state.isSlowStartFull(by.policy().health())) {
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
