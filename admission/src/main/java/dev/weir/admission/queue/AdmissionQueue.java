package dev.weir.admission.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
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
 * behind those whose nodes have none.
 *
 * <p>What is refused: see {@link Patience}. Who calls must {@link #tick} every few milliseconds
 * while something waits.
 *
 * @param <T> requests
 */
public final class AdmissionQueue<T> {
  static final double PATIENCE = 5;
  private static final int FIRST_COME_EVERY = 8;
  private static final int MOST_IDLE = 256;
  private static final double LEAST_WEIGHT = 1e-3;

  private final WorkClass work;
  private final Around<T> around;
  private volatile QueueTerms terms;

  // guarded by this
  private final Map<Demand, Backlog> backlogs = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<String, Tenant<T>> tenants = new LinkedHashMap<>(16, 0.75f, true);
  private final TreeSet<Tenant<T>> inOrder =
      new TreeSet<>(
          Comparator.<Tenant<T>>comparingDouble(tenant -> tenant.start)
              .thenComparing(tenant -> tenant.name));
  private double virtual;
  private double weights;
  private long turns;
  private long looks;
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
   */
  public record Asking(Demand demand, String tenant, int costClass, long deadlineLeftNanos) {}

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
    synchronized (this) {
      offer(place, now);
    }
    return place;
  }

  private void offer(Place<T> place, long now) {
    Backlog backlog = backlog(place.asking.demand());
    Tenant<T> tenant = tenant(place.asking.tenant());
    place.backlog = backlog;
    place.tenant = tenant;
    if (backlog.waiting() == 0 && servable(backlog.demand, false)) {
      if (waiting.get() > 0) {
        pay(tenant, place);
      }
      letIn(place);
      return;
    }
    backlog.asked(now);
    QueueRefusal refusal = patience(place, now).onArrival(ahead(place, backlog, tenant));
    if (refusal != null) {
      refuse(place, refusal);
      return;
    }
    place.number = number++;
    if (tenant.waiting() == 0) {
      tenant.wakes(virtual, weight(tenant.name));
      weights += tenant.weight();
      inOrder.add(tenant);
    }
    tenant.add(place);
    backlog.added(now);
    waiting.incrementAndGet();
  }

  private Backlog backlog(Demand demand) {
    Backlog known = backlogs.get(demand);
    if (known == null) {
      if (backlogs.size() >= MOST_IDLE + waiting.get()) {
        backlogs.values().stream()
            .filter(idle -> idle.waiting() == 0)
            .findFirst()
            .ifPresent(idle -> backlogs.remove(idle.demand));
      }
      known = new Backlog(demand);
      backlogs.put(demand, known);
    }
    return known;
  }

  private Tenant<T> tenant(String name) {
    Tenant<T> known = tenants.get(name);
    if (known == null) {
      if (tenants.size() >= MOST_IDLE + waiting.get()) {
        tenants.values().removeIf(idle -> idle.waiting() == 0 && !idle.ahead(virtual));
      }
      known = new Tenant<>(name);
      tenants.put(name, known);
    }
    return known;
  }

  /**
   * How many requests go before this one, as far as can be told: those of its tenant, and of the
   * others' as many as are their fair share meanwhile.
   */
  private double ahead(Place<T> place, Backlog backlog, Tenant<T> tenant) {
    int own = tenant.before(backlog, place.turn());
    boolean waits = tenant.waiting() > 0;
    double others = Math.max(0, weights - (waits ? tenant.weight() : 0));
    double share = (own + 1) * others / (waits ? tenant.weight() : weight(tenant.name));
    int theirs = backlog.waiting() - tenant.before(backlog, Double.POSITIVE_INFINITY);
    return own + Math.min(share, theirs);
  }

  private double weight(String tenant) {
    double weight = around.weight().applyAsDouble(tenant);
    return weight > LEAST_WEIGHT ? Math.min(weight, 1 / LEAST_WEIGHT) : LEAST_WEIGHT;
  }

  private Patience<T> patience(Place<T> place, long now) {
    return new Patience<>(
        terms, work, around.lanes(), new Patience.Case<>(place, now, waiting.get()));
  }

  /** Lets in what has room now, after a node got some. */
  void freed(NodeLane lane) {
    if (waiting.get() == 0) {
      return;
    }
    List<Place<T>> told = new ArrayList<>(2);
    synchronized (this) {
      drain(lane, told);
    }
    told.forEach(around.told());
  }

  /** Refuses what waited for too long, and lets in what can be; all when nothing waits any more. */
  public void tick() {
    if (waiting.get() == 0) {
      return;
    }
    List<Place<T>> told = new ArrayList<>();
    synchronized (this) {
      long now = around.lanes().nanoTime();
      List<Place<T>> all = new ArrayList<>(waiting.get());
      inOrder.forEach(tenant -> all.addAll(tenant.all()));
      for (Place<T> place : all) {
        if (terms.enabled()) {
          expire(place, now, told);
        } else {
          remove(place);
          place.stand(Place.Stand.IN);
          told.add(place);
        }
      }
      drain(null, told);
    }
    told.forEach(around.told());
  }

  private boolean expire(Place<T> place, long now, List<Place<T>> told) {
    QueueRefusal refusal = patience(place, now).whileWaiting();
    if (refusal != null) {
      remove(place);
      refuse(place, refusal);
      told.add(place);
    }
    return refusal != null;
  }

  private void drain(@Nullable NodeLane lane, List<Place<T>> told) {
    long now = around.lanes().nanoTime();
    while (waiting.get() > 0 && (lane == null || lane.hasRoomForPatient())) {
      looks++;
      Place<T> next = next(lane, now);
      if (next == null) {
        return;
      }
      if (!expire(next, now, told)) {
        Tenant<T> tenant = known(next.tenant);
        known(next.backlog).went(now);
        virtual = Math.max(virtual, tenant.start);
        pay(tenant, next);
        remove(next);
        letIn(next);
        tally.waited(now - next.arrivedNanos);
        told.add(next);
      }
    }
  }

  /** The request whose turn it is, of those whose nodes have room. */
  private @Nullable Place<T> next(@Nullable NodeLane lane, long now) {
    boolean firstCome = ++turns % FIRST_COME_EVERY == 0;
    for (Tenant<T> tenant : inOrder) {
      Place<T> best = null;
      for (Place<T> head : tenant.heads()) {
        boolean before =
            best == null || (firstCome ? head.number < best.number : head.turn() < best.turn());
        if (before
            && (lane == null || head.asking.demand().uses(lane.nodeId()))
            && servable(head, now)) {
          best = head;
        }
      }
      if (best != null) {
        return best;
      }
    }
    return null;
  }

  private boolean servable(Place<T> head, long now) {
    Backlog backlog = known(head.backlog);
    if (backlog.look != looks) {
      backlog.look = looks;
      backlog.servable = servable(backlog.demand, false);
    }
    return backlog.servable
        || (backlog.demand.needs().size() > 1
            && now - head.arrivedNanos > around.lanes().times(work).unloaded()
            && servable(backlog.demand, true));
  }

  private boolean servable(Demand demand, boolean patient) {
    for (Demand.Need need : demand.needs()) {
      boolean room = false;
      for (String nodeId : need.nodes()) {
        NodeLane lane = around.lanes().lane(nodeId, work);
        room |= patient ? lane.hasRoomForPatient() : lane.hasRoom();
      }
      if (!room) {
        return false;
      }
    }
    return true;
  }

  /** A tenant gets on by what its request costs. */
  private void pay(Tenant<T> tenant, Place<T> place) {
    boolean waits = inOrder.remove(tenant); // its place among the others changes
    if (!waits) {
      tenant.wakes(virtual, weight(tenant.name));
    }
    tenant.pays(place.costNanos / around.lanes().times(work).unloaded());
    if (waits) {
      inOrder.add(tenant);
    }
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
    tally.refused(refusal);
  }

  private void remove(Place<T> place) {
    Tenant<T> tenant = known(place.tenant);
    tenant.remove(place);
    known(place.backlog).removed();
    waiting.decrementAndGet();
    if (tenant.waiting() == 0) {
      inOrder.remove(tenant);
      weights -= tenant.weight();
    }
    if (inOrder.isEmpty()) {
      virtual = 0;
      weights = 0;
      tenants.clear();
    }
  }

  private static <X> X known(@Nullable X of) {
    if (of == null) {
      throw new IllegalStateException("got a place that never waited (expected: one that does)");
    }
    return of;
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
    for (Tenant<T> tenant : inOrder) {
      if (counts.size() < most) {
        counts.put(tenant.name, tenant.waiting());
      }
    }
    return counts;
  }

  /** How long to wait before coming again, in whole seconds. */
  static Duration retryAfter(double nanos) {
    return Duration.ofSeconds((long) Math.clamp(Math.ceil(nanos / 1e9), 1, 60));
  }
}
