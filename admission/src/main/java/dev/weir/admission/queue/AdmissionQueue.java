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
 * <p>What is refused: see {@link WaitLimit}. Who calls must {@link #tick} every few milliseconds
 * while something waits.
 *
 * @param <T> requests
 */
public final class AdmissionQueue<T> {
  static final double VIRTUAL_DEADLINE_FACTOR = 5;

  /** Of R0: what needs several nodes and has waited for so long may find them over their limit. */
  private static final double OVERCOMMIT_WAIT_FACTOR = 0.5;

  /** So much of a number is about as much. */
  private static final double SIMILARITY_RATIO = 0.7;

  private static final int ARRIVAL_ORDER_INTERVAL = 8;

  private final NodeThreadPool threadPool;
  private final Dependencies<T> dependencies;
  private volatile QueueSettings settings;

  // guarded by this
  private final Map<String, NodeBacklog<T>> nodeBacklogs = new HashMap<>();
  private final FairTenantScheduler<T> tenantScheduler;

  /** Those that need several nodes and are not patient yet, in the order in which they came. */
  private final Set<QueuePosition<T>> awaitingOvercommit = new LinkedHashSet<>();

  private long admissions;
  private long nextSequence;

  private final AtomicInteger waiting = new AtomicInteger();
  private final AdmissionQueueStats stats = new AdmissionQueueStats();

  /**
   * What a request asks for.
   *
   * @param demand the nodes that it needs
   * @param tenant whose it is
   * @param costClass requests that cost about the same have the same number
   * @param remainingDeadlineNanos what is left of its own deadline; {@link Long#MAX_VALUE} for none
   * @param fromClient whether what becomes of it is told among what became of clients' requests
   */
  public record QueuedRequest(
      NodeDemand demand,
      String tenant,
      int costClass,
      long remainingDeadlineNanos,
      boolean fromClient) {
    /** For a client's request. */
    public QueuedRequest(NodeDemand demand, String tenant, int costClass, long deadlineLeftNanos) {
      this(demand, tenant, costClass, deadlineLeftNanos, true);
    }
  }

  /**
   * What a queue reaches the world through.
   *
   * @param limiters the nodes
   * @param tenantWeight how much more than another a tenant may have
   * @param decisionListener takes a place that waited and was let in or refused; on whichever
   *     thread it happens, without a lock
   */
  record Dependencies<T>(
      NodeConcurrencyLimiters limiters,
      ToDoubleFunction<String> tenantWeight,
      Consumer<QueuePosition<T>> decisionListener) {}

  AdmissionQueue(NodeThreadPool work, QueueSettings terms, Dependencies<T> around) {
    this.threadPool = work;
    this.settings = terms;
    this.dependencies = around;
    this.tenantScheduler = new FairTenantScheduler<>(around.tenantWeight());
  }

  /** How many requests wait. */
  public int waiting() {
    return waiting.get();
  }

  /** What became of requests so far. */
  public AdmissionQueueStats stats() {
    return stats;
  }

  /** Decides by other terms from now on. */
  void updateSettings(QueueSettings changed) {
    settings = changed;
    tick();
  }

  /** Forgets nodes that are not named, but for those that something waits for. */
  void retainNodes(Set<String> nodeIds) {
    stats.retainNodes(nodeIds);
    synchronized (this) {
      nodeBacklogs.values().removeIf(crowd -> crowd.isIdle() && !nodeIds.contains(crowd.nodeId));
    }
  }

  /**
   * Takes a request.
   *
   * @return a place that is in, or refused, or waits: then the queue tells of it once, unless it
   *     leaves before. One that is in leaves when its calls were sent
   */
  public QueuePosition<T> offer(T request, QueuedRequest asking) {
    long now = dependencies.limiters().nanoTime();
    double cost =
        dependencies.limiters().responseTimes(threadPool).unloadedNanos(asking.costClass());
    QueuePosition<T> place = new QueuePosition<>(request, asking, now, cost);
    if (!settings.enabled()) {
      place.state(QueuePosition.State.ADMITTED);
      return place;
    }
    List<QueuePosition<T>> told = List.of();
    synchronized (this) {
      NodeDemand.Need blocked = findBlockedNeed(asking.demand(), false);
      if (blocked == null && waiting.get() > 0) {
        told = admitEarlierWaiters(asking.demand());
        blocked = findBlockedNeed(asking.demand(), false);
      }
      if (blocked != null) {
        enqueueOrReject(place, blocked, now);
      } else {
        if (waiting.get() > 0) {
          tenantScheduler.chargeImmediate(
              tenantScheduler.tenantQueue(asking.tenant()), relativeCost(place));
        }
        admit(place);
      }
    }
    told.forEach(dependencies.decisionListener());
    return place;
  }

  /** Lets in those first that wait for a node which has just got room. */
  private List<QueuePosition<T>> admitEarlierWaiters(NodeDemand demand) {
    List<QueuePosition<T>> told = new ArrayList<>(0);
    for (String nodeId : demand.allNodes()) {
      admitFrom(nodeBacklogs.get(nodeId), told);
    }
    return told;
  }

  private void enqueueOrReject(QueuePosition<T> place, NodeDemand.Need blocked, long now) {
    List<NodeBacklog<T>> all = nodeBacklogs(place.queuedRequest.demand().allNodes());
    all.forEach(crowd -> crowd.onArrival(now));
    WaitQueue.Bottleneck<T> spot = chooseBottleneck(place.queuedRequest.demand(), all);
    TenantQueue<T> tenant = tenantScheduler.tenantQueue(place.queuedRequest.tenant());
    NodeBacklog<T> judged = spot.leastBlockedBacklog();
    int own = tenant.countBefore(judged, place.virtualDeadlineNanos());
    int theirs =
        judged.bottleneckRequests.waiting() - tenant.countBefore(judged, Double.POSITIVE_INFINITY);
    QueueRejection refusal =
        waitLimit(place, judged, now)
            .checkOnArrival(tenantScheduler.requestsAhead(tenant, own, theirs));
    if (refusal != null) {
      reject(place, refusal);
      return;
    }
    place.sequence = nextSequence++;
    if (tenant.waiting() == 0) {
      tenantScheduler.activate(tenant);
    }
    WaitQueue<T> line = tenant.add(place, spot, now);
    if (line.size() == 1) {
      line.blockOn(blocked);
    }
    place.waitQueue = line;
    if (place.queuedRequest.demand().needs().size() > 1) {
      awaitingOvercommit.add(place);
    }
    waiting.incrementAndGet();
  }

  /**
   * Where it waits: longest for that need at whose nodes most stood still lately; of about as many
   * always for the same, so that those that need the same are counted together.
   */
  private WaitQueue.Bottleneck<T> chooseBottleneck(NodeDemand demand, List<NodeBacklog<T>> all) {
    double most = 0;
    for (NodeDemand.Need need : demand.needs()) {
      most = Math.max(most, recentlyBlocked(need));
    }
    NodeDemand.Need longest = demand.needs().getFirst();
    for (NodeDemand.Need need : demand.needs().reversed()) {
      longest = recentlyBlocked(need) >= SIMILARITY_RATIO * most ? need : longest;
    }
    return new WaitQueue.Bottleneck<>(longest, nodeBacklogs(longest.nodes()), all);
  }

  /** How many stood still lately at that node of a need where it was fewest. */
  private double recentlyBlocked(NodeDemand.Need need) {
    double fewest = Double.POSITIVE_INFINITY;
    for (String nodeId : need.nodes()) {
      fewest = Math.min(fewest, nodeBacklog(nodeId).recentlyBlocked());
    }
    return fewest;
  }

  private List<NodeBacklog<T>> nodeBacklogs(Collection<String> nodeIds) {
    List<NodeBacklog<T>> of = new ArrayList<>(nodeIds.size());
    nodeIds.forEach(nodeId -> of.add(nodeBacklog(nodeId)));
    return of;
  }

  private NodeBacklog<T> nodeBacklog(String nodeId) {
    return nodeBacklogs.computeIfAbsent(nodeId, NodeBacklog::new);
  }

  private WaitLimit<T> waitLimit(QueuePosition<T> place, NodeBacklog<T> crowd, long now) {
    return new WaitLimit<>(
        settings,
        threadPool,
        dependencies.limiters(),
        new WaitLimit.Candidate<>(place, crowd, now, waiting.get()));
  }

  /** Lets in what has room now, after a node got some. */
  void onCapacityFreed(NodeConcurrencyLimiter lane) {
    if (waiting.get() == 0) {
      return;
    }
    List<QueuePosition<T>> told = new ArrayList<>(2);
    synchronized (this) {
      admitFrom(nodeBacklogs.get(lane.nodeId()), told);
      admitOvercommitted(told);
    }
    told.forEach(dependencies.decisionListener());
  }

  /** Looks at those again that have become patient, if they are the first of their line. */
  private void admitOvercommitted(List<QueuePosition<T>> told) {
    long now = dependencies.limiters().nanoTime();
    while (!awaitingOvercommit.isEmpty()
        && canOvercommit(awaitingOvercommit.iterator().next(), now)) {
      QueuePosition<T> ripe = awaitingOvercommit.iterator().next();
      awaitingOvercommit.remove(ripe);
      WaitQueue<T> line = waitQueue(ripe);
      if (line.head() == ripe) {
        admitFrom(line.blockedAt(), told);
      }
    }
  }

  private boolean canOvercommit(QueuePosition<T> place, long now) {
    return now - place.arrivedNanos
        > OVERCOMMIT_WAIT_FACTOR
            * dependencies.limiters().responseTimes(threadPool).unloadedNanos();
  }

  /** Refuses what waited for too long, and lets in what can be; all when nothing waits any more. */
  public void tick() {
    if (waiting.get() == 0) {
      return;
    }
    List<QueuePosition<T>> told = new ArrayList<>();
    synchronized (this) {
      long now = dependencies.limiters().nanoTime();
      for (TenantQueue<T> tenant : tenantScheduler.waiting()) {
        for (QueuePosition<T> place : tenant.allPositions()) {
          if (settings.enabled()) {
            rejectIfExpired(place, now, told);
          } else {
            remove(place);
            place.state(QueuePosition.State.ADMITTED);
            told.add(place);
          }
        }
      }
      nodeBacklogs.values().forEach(crowd -> admitFrom(crowd, told));
      admitOvercommitted(told);
    }
    told.forEach(dependencies.decisionListener());
  }

  private boolean rejectIfExpired(QueuePosition<T> place, long now, List<QueuePosition<T>> told) {
    QueueRejection refusal =
        waitLimit(place, waitQueue(place).bottleneck().leastBlockedBacklog(), now)
            .checkWhileWaiting();
    if (refusal != null) {
      remove(place);
      reject(place, refusal);
      told.add(place);
    }
    return refusal != null;
  }

  private void admitFrom(@Nullable NodeBacklog<T> crowd, List<QueuePosition<T>> told) {
    if (crowd == null || crowd.blockedQueues.isEmpty()) {
      return;
    }
    long now = dependencies.limiters().nanoTime();
    NodeConcurrencyLimiter lane = dependencies.limiters().limiter(crowd.nodeId, threadPool);
    while (!crowd.blockedQueues.isEmpty() && lane.hasOvercommitCapacity()) {
      WaitQueue<T> next = nextQueue(crowd, now);
      if (next == null) {
        return;
      }
      QueuePosition<T> place = next.head();
      if (!rejectIfExpired(place, now, told)) {
        next.bottleneck().onAdmit(now);
        tenantScheduler.charge(next.tenant, relativeCost(place));
        remove(place);
        admit(place);
        if (place.queuedRequest.fromClient()) {
          stats.waited(now - place.arrivedNanos);
        }
        told.add(place);
      }
    }
  }

  /** The line whose turn it is, of those that stand still at a node and can be met now. */
  private @Nullable WaitQueue<T> nextQueue(NodeBacklog<T> crowd, long now) {
    boolean firstCome = ++admissions % ARRIVAL_ORDER_INTERVAL == 0;
    WaitQueue<T> best = null;
    for (WaitQueue<T> line : List.copyOf(crowd.blockedQueues)) {
      if (best == null || line.isBefore(best, firstCome)) {
        NodeDemand.Need blocked = findBlockedNeed(line, now);
        if (blocked == null) {
          best = line;
        } else if (!blocked.nodes().contains(crowd.nodeId)) {
          line.blockOn(blocked);
        }
      }
    }
    return best;
  }

  private NodeDemand.@Nullable Need findBlockedNeed(WaitQueue<T> line, long now) {
    QueuePosition<T> head = line.head();
    NodeDemand demand = head.queuedRequest.demand();
    return findBlockedNeed(demand, demand.needs().size() > 1 && canOvercommit(head, now));
  }

  /** The first need for which no node has room; null when all can be met. */
  private NodeDemand.@Nullable Need findBlockedNeed(NodeDemand demand, boolean patient) {
    for (NodeDemand.Need need : demand.needs()) {
      boolean room = false;
      for (String nodeId : need.nodes()) {
        NodeConcurrencyLimiter lane = dependencies.limiters().limiter(nodeId, threadPool);
        room |= patient ? lane.hasOvercommitCapacity() : lane.hasCapacity();
      }
      if (!room) {
        return need;
      }
    }
    return null;
  }

  /** What it costs, in requests of the usual cost. */
  private double relativeCost(QueuePosition<T> place) {
    return place.costNanos / dependencies.limiters().responseTimes(threadPool).unloadedNanos();
  }

  /** Keeps room for it where there is most, until its calls are sent. */
  private void admit(QueuePosition<T> place) {
    List<QueuePosition.SlotReservation> promises =
        new ArrayList<>(place.queuedRequest.demand().needs().size());
    for (NodeDemand.Need need : place.queuedRequest.demand().needs()) {
      NodeConcurrencyLimiter best =
          dependencies.limiters().limiter(need.nodes().getFirst(), threadPool);
      for (String nodeId : need.nodes()) {
        NodeConcurrencyLimiter lane = dependencies.limiters().limiter(nodeId, threadPool);
        best = lane.freeSlots() > best.freeSlots() ? lane : best;
      }
      best.reserve(need.calls());
      promises.add(new QueuePosition.SlotReservation(best, need.calls()));
    }
    place.slotReservations = promises;
    place.state(QueuePosition.State.ADMITTED);
  }

  private void reject(QueuePosition<T> place, QueueRejection refusal) {
    place.reject(refusal);
    if (place.queuedRequest.fromClient()) {
      stats.recordRejection(refusal);
    }
  }

  private void remove(QueuePosition<T> place) {
    WaitQueue<T> line = waitQueue(place);
    line.tenant.remove(place, line);
    awaitingOvercommit.remove(place);
    waiting.decrementAndGet();
    if (line.tenant.waiting() == 0) {
      tenantScheduler.deactivate(line.tenant);
    }
  }

  private static <T> WaitQueue<T> waitQueue(QueuePosition<T> place) {
    WaitQueue<T> line = place.waitQueue;
    if (line == null) {
      throw new IllegalStateException("got a place that never waited (expected: one that does)");
    }
    return line;
  }

  /**
   * Gives a place up, or says that all its calls were sent: the room that was kept for it is given
   * back. Does nothing the second time.
   */
  public void release(QueuePosition<T> place) {
    List<QueuePosition.SlotReservation> withdrawn;
    synchronized (this) {
      if (place.state() == QueuePosition.State.WAITING) {
        remove(place);
      }
      place.state(QueuePosition.State.RELEASED);
      withdrawn = place.slotReservations;
      place.slotReservations = List.of();
    }
    withdrawn.forEach(promise -> promise.limiter().cancelReservation(promise.calls()));
  }

  /** How many requests of each tenant wait; at most so many tenants, those in whose turn it is. */
  public synchronized Map<String, Integer> waitingByTenant(int most) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    tenantScheduler.waiting().stream()
        .sorted(Comparator.comparingDouble(TenantQueue::virtualStart))
        .limit(most)
        .forEach(tenant -> counts.put(tenant.name, tenant.waiting()));
    return counts;
  }

  /** How many tenants are known by name. */
  synchronized int tenantCount() {
    return tenantScheduler.tenantCount();
  }

  /** How long to wait before coming again, in whole seconds. */
  static Duration retryAfter(double nanos) {
    return Duration.ofSeconds((long) Math.clamp(Math.ceil(nanos / 1e9), 1, 60));
  }
}
