package dev.weir.admission.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one class that wait until the nodes that they need have room, all at once: a request
 * is let in whole or not at all. Decides only; the caller sends. Safe on any thread; the lock is
 * held for arithmetic alone.
 *
 * <p>Whose turn it is: of the tenants the one that got least for its weight; of its requests the
 * earliest virtual deadline, arrival plus five times the cost to expect, and every eighth time the
 * one that came first, so that costly work gets on too. Requests whose nodes have room do not wait
 * behind those whose nodes have none: each line of alike requests stands still at one need that
 * can't be met, and is looked at when a node of that need gets room.
 *
 * <p>What is refused: see {@link Patience}. Who calls must {@link #tick} every few milliseconds
 * while something waits.
 *
 * @param <T> requests
 */
public final class AdmissionQueue<T> {
  static final double PATIENCE = 5;

  /** Of R0: what needs several nodes and has waited for so long may find them over their limit. */
  private static final double PATIENT = 0.5;

  /** So much of a number is about as much. */
  private static final double ABOUT = 0.7;

  private static final int FIRST_COME_EVERY = 8;

  private final WorkClass work;
  private final Around<T> around;
  private volatile QueueTerms terms;

  // guarded by this
  private final Map<String, Crowd<T>> crowds = new HashMap<>();
  private final FairShares<T> shares;

  /** Those that need several nodes and are not patient yet, in the order in which they came. */
  private final Set<Place<T>> unripe = new LinkedHashSet<>();

  private long turns;
  private long number;

  private final AtomicInteger waiting = new AtomicInteger();
  private final Tally tally = new Tally();

  /**
   * What a request asks for.
   *
   * @param demand the nodes that it needs
   * @param tenant whose it is
   * @param costClass requests that cost about the same have the same number
   * @param deadlineLeftNanos what is left of its own deadline; {@link Long#MAX_VALUE} for none
   * @param counted whether what becomes of it is told among what became of clients' requests
   */
  public record Asking(
      Demand demand, String tenant, int costClass, long deadlineLeftNanos, boolean counted) {
    /** For a client's request. */
    public Asking(Demand demand, String tenant, int costClass, long deadlineLeftNanos) {
      this(demand, tenant, costClass, deadlineLeftNanos, true);
    }
  }

  /**
   * What a queue reaches the world through.
   *
   * @param lanes the nodes
   * @param weight how much more than another a tenant may have
   * @param told takes a place that waited and was let in or refused; on whichever thread it
   *     happens, without a lock
   */
  record Around<T>(NodeLanes lanes, ToDoubleFunction<String> weight, Consumer<Place<T>> told) {}

  AdmissionQueue(WorkClass work, QueueTerms terms, Around<T> around) {
    this.work = work;
    this.terms = terms;
    this.around = around;
    this.shares = new FairShares<>(around.weight());
  }

  /** How many requests wait. */
  public int waiting() {
    return waiting.get();
  }

  /** What became of requests so far. */
  public Tally tally() {
    return tally;
  }

  /** Decides by other terms from now on. */
  void use(QueueTerms changed) {
    terms = changed;
    tick();
  }

  /** Forgets nodes that are not named, but for those that something waits for. */
  void retainOnly(Set<String> nodeIds) {
    tally.retainOnly(nodeIds);
    synchronized (this) {
      crowds.values().removeIf(crowd -> crowd.idle() && !nodeIds.contains(crowd.nodeId));
    }
  }

  /**
   * Takes a request.
   *
   * @return a place that is in, or refused, or waits: then the queue tells of it once, unless it
   *     leaves before. One that is in leaves when its calls were sent
   */
  public Place<T> offer(T request, Asking asking) {
    long now = around.lanes().nanoTime();
    double cost = around.lanes().times(work).unloaded(asking.costClass());
    Place<T> place = new Place<>(request, asking, now, cost);
    if (!terms.enabled()) {
      place.stand(Place.Stand.IN);
      return place;
    }
    List<Place<T>> told = List.of();
    synchronized (this) {
      Demand.Need blocked = blocked(asking.demand(), false);
      if (blocked == null && waiting.get() > 0) {
        told = letPass(asking.demand());
        blocked = blocked(asking.demand(), false);
      }
      if (blocked != null) {
        waits(place, blocked, now);
      } else {
        if (waiting.get() > 0) {
          shares.passes(shares.of(asking.tenant()), relative(place));
        }
        letIn(place);
      }
    }
    told.forEach(around.told());
    return place;
  }

  /** Lets in those first that wait for a node which has just got room. */
  private List<Place<T>> letPass(Demand demand) {
    List<Place<T>> told = new ArrayList<>(0);
    for (String nodeId : demand.nodes()) {
      drain(crowds.get(nodeId), told);
    }
    return told;
  }

  private void waits(Place<T> place, Demand.Need blocked, long now) {
    List<Crowd<T>> all = crowds(place.asking.demand().nodes());
    all.forEach(crowd -> crowd.asked(now));
    Line.Spot<T> spot = spot(place.asking.demand(), all);
    Tenant<T> tenant = shares.of(place.asking.tenant());
    Crowd<T> judged = spot.judged();
    int own = tenant.before(judged, place.turn());
    int theirs = judged.longest.waiting() - tenant.before(judged, Double.POSITIVE_INFINITY);
    QueueRefusal refusal =
        patience(place, judged, now).onArrival(shares.ahead(tenant, own, theirs));
    if (refusal != null) {
      refuse(place, refusal);
      return;
    }
    place.number = number++;
    if (tenant.waiting() == 0) {
      shares.waits(tenant);
    }
    Line<T> line = tenant.add(place, spot, now);
    if (line.size() == 1) {
      line.stopsAt(blocked);
    }
    place.line = line;
    if (place.asking.demand().needs().size() > 1) {
      unripe.add(place);
    }
    waiting.incrementAndGet();
  }

  /**
   * Where it waits: longest for that need at whose nodes most stood still lately; of about as many
   * always for the same, so that those that need the same are counted together.
   */
  private Line.Spot<T> spot(Demand demand, List<Crowd<T>> all) {
    double most = 0;
    for (Demand.Need need : demand.needs()) {
      most = Math.max(most, stoppedLately(need));
    }
    Demand.Need longest = demand.needs().getFirst();
    for (Demand.Need need : demand.needs().reversed()) {
      longest = stoppedLately(need) >= ABOUT * most ? need : longest;
    }
    return new Line.Spot<>(longest, crowds(longest.nodes()), all);
  }

  /** How many stood still lately at that node of a need where it was fewest. */
  private double stoppedLately(Demand.Need need) {
    double fewest = Double.POSITIVE_INFINITY;
    for (String nodeId : need.nodes()) {
      fewest = Math.min(fewest, crowd(nodeId).stoppedLately());
    }
    return fewest;
  }

  private List<Crowd<T>> crowds(Collection<String> nodeIds) {
    List<Crowd<T>> of = new ArrayList<>(nodeIds.size());
    nodeIds.forEach(nodeId -> of.add(crowd(nodeId)));
    return of;
  }

  private Crowd<T> crowd(String nodeId) {
    return crowds.computeIfAbsent(nodeId, Crowd::new);
  }

  private Patience<T> patience(Place<T> place, Crowd<T> crowd, long now) {
    return new Patience<>(
        terms, work, around.lanes(), new Patience.Case<>(place, crowd, now, waiting.get()));
  }

  /** Lets in what has room now, after a node got some. */
  void freed(NodeLane lane) {
    if (waiting.get() == 0) {
      return;
    }
    List<Place<T>> told = new ArrayList<>(2);
    synchronized (this) {
      drain(crowds.get(lane.nodeId()), told);
      ripen(told);
    }
    told.forEach(around.told());
  }

  /** Looks at those again that have become patient, if they are the first of their line. */
  private void ripen(List<Place<T>> told) {
    long now = around.lanes().nanoTime();
    while (!unripe.isEmpty() && patient(unripe.iterator().next(), now)) {
      Place<T> ripe = unripe.iterator().next();
      unripe.remove(ripe);
      Line<T> line = line(ripe);
      if (line.head() == ripe) {
        drain(line.stoppedAt(), told);
      }
    }
  }

  private boolean patient(Place<T> place, long now) {
    return now - place.arrivedNanos > PATIENT * around.lanes().times(work).unloaded();
  }

  /** Refuses what waited for too long, and lets in what can be; all when nothing waits any more. */
  public void tick() {
    if (waiting.get() == 0) {
      return;
    }
    List<Place<T>> told = new ArrayList<>();
    synchronized (this) {
      long now = around.lanes().nanoTime();
      for (Tenant<T> tenant : shares.waiting()) {
        for (Place<T> place : tenant.all()) {
          if (terms.enabled()) {
            expire(place, now, told);
          } else {
            remove(place);
            place.stand(Place.Stand.IN);
            told.add(place);
          }
        }
      }
      crowds.values().forEach(crowd -> drain(crowd, told));
      ripen(told);
    }
    told.forEach(around.told());
  }

  private boolean expire(Place<T> place, long now, List<Place<T>> told) {
    QueueRefusal refusal = patience(place, line(place).spot().judged(), now).whileWaiting();
    if (refusal != null) {
      remove(place);
      refuse(place, refusal);
      told.add(place);
    }
    return refusal != null;
  }

  private void drain(@Nullable Crowd<T> crowd, List<Place<T>> told) {
    if (crowd == null || crowd.stopped.isEmpty()) {
      return;
    }
    long now = around.lanes().nanoTime();
    NodeLane lane = around.lanes().lane(crowd.nodeId, work);
    while (!crowd.stopped.isEmpty() && lane.hasRoomForPatient()) {
      Line<T> next = next(crowd, now);
      if (next == null) {
        return;
      }
      Place<T> place = next.head();
      if (!expire(place, now, told)) {
        next.spot().went(now);
        shares.goes(next.tenant, relative(place));
        remove(place);
        letIn(place);
        if (place.asking.counted()) {
          tally.waited(now - place.arrivedNanos);
        }
        told.add(place);
      }
    }
  }

  /** The line whose turn it is, of those that stand still at a node and can be met now. */
  private @Nullable Line<T> next(Crowd<T> crowd, long now) {
    boolean firstCome = ++turns % FIRST_COME_EVERY == 0;
    Line<T> best = null;
    for (Line<T> line : List.copyOf(crowd.stopped)) {
      if (best == null || line.before(best, firstCome)) {
        Demand.Need blocked = blocked(line, now);
        if (blocked == null) {
          best = line;
        } else if (!blocked.nodes().contains(crowd.nodeId)) {
          line.stopsAt(blocked);
        }
      }
    }
    return best;
  }

  private Demand.@Nullable Need blocked(Line<T> line, long now) {
    Place<T> head = line.head();
    Demand demand = head.asking.demand();
    return blocked(demand, demand.needs().size() > 1 && patient(head, now));
  }

  /** The first need for which no node has room; null when all can be met. */
  private Demand.@Nullable Need blocked(Demand demand, boolean patient) {
    for (Demand.Need need : demand.needs()) {
      boolean room = false;
      for (String nodeId : need.nodes()) {
        NodeLane lane = around.lanes().lane(nodeId, work);
        room |= patient ? lane.hasRoomForPatient() : lane.hasRoom();
      }
      if (!room) {
        return need;
      }
    }
    return null;
  }

  /** What it costs, in requests of the usual cost. */
  private double relative(Place<T> place) {
    return place.costNanos / around.lanes().times(work).unloaded();
  }

  /** Keeps room for it where there is most, until its calls are sent. */
  private void letIn(Place<T> place) {
    List<Place.Promise> promises = new ArrayList<>(place.asking.demand().needs().size());
    for (Demand.Need need : place.asking.demand().needs()) {
      NodeLane best = around.lanes().lane(need.nodes().getFirst(), work);
      for (String nodeId : need.nodes()) {
        NodeLane lane = around.lanes().lane(nodeId, work);
        best = lane.free() > best.free() ? lane : best;
      }
      best.promise(need.calls());
      promises.add(new Place.Promise(best, need.calls()));
    }
    place.promises = promises;
    place.stand(Place.Stand.IN);
  }

  private void refuse(Place<T> place, QueueRefusal refusal) {
    place.refuse(refusal);
    if (place.asking.counted()) {
      tally.refused(refusal);
    }
  }

  private void remove(Place<T> place) {
    Line<T> line = line(place);
    line.tenant.remove(place, line);
    unripe.remove(place);
    waiting.decrementAndGet();
    if (line.tenant.waiting() == 0) {
      shares.rests(line.tenant);
    }
  }

  private static <T> Line<T> line(Place<T> place) {
    Line<T> line = place.line;
    if (line == null) {
      throw new IllegalStateException("got a place that never waited (expected: one that does)");
    }
    return line;
  }

  /**
   * Gives a place up, or says that all its calls were sent: the room that was kept for it is given
   * back. Does nothing the second time.
   */
  public void leave(Place<T> place) {
    List<Place.Promise> withdrawn;
    synchronized (this) {
      if (place.stand() == Place.Stand.WAITING) {
        remove(place);
      }
      place.stand(Place.Stand.OVER);
      withdrawn = place.promises;
      place.promises = List.of();
    }
    withdrawn.forEach(promise -> promise.lane().withdraw(promise.calls()));
  }

  /** How many requests of each tenant wait; at most so many tenants, those in whose turn it is. */
  public synchronized Map<String, Integer> waitingByTenant(int most) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    shares.waiting().stream()
        .sorted(Comparator.comparingDouble(Tenant::start))
        .limit(most)
        .forEach(tenant -> counts.put(tenant.name, tenant.waiting()));
    return counts;
  }

  /** How many tenants are known by name. */
  synchronized int tenants() {
    return shares.size();
  }

  /** How long to wait before coming again, in whole seconds. */
  static Duration retryAfter(double nanos) {
    return Duration.ofSeconds((long) Math.clamp(Math.ceil(nanos / 1e9), 1, 60));
  }
}
