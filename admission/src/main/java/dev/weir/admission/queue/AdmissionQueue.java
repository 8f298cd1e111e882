package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Queues the requests of one thread pool until all nodes that they need have capacity. Admits a
 * request as a whole or not at all. Decides only; the caller sends. Safe on any thread; holds its
 * lock for arithmetic only.
 *
 * <p>Order at a node: the tenant that got least of the node for its weight comes first. Among its
 * requests, the one with the earliest virtual deadline (arrival plus five times the expected cost)
 * comes first, and every eighth time the oldest, so that costly requests progress too. A request
 * whose nodes have capacity does not wait behind one whose nodes have none: each {@link WaitQueue}
 * of similar requests is blocked on one need, and is checked again when a node of that need gets
 * capacity.
 *
 * <p>Rejection: see {@link WaitLimit}. The caller must call {@link #tick} every few milliseconds
 * while requests wait.
 *
 * @param <T> requests
 */
public final class AdmissionQueue<T> {
  /** Part of R0, or of the longest wait, after which a request may exceed some limits. */
  private static final double OVERCOMMIT_WAIT_FACTOR = 0.5;

  private static final int ARRIVAL_ORDER_INTERVAL = 8;

  private final NodeThreadPool threadPool;
  private final Dependencies<T> dependencies;
  private final CapacityReserver arrivalCapacity;
  private final CapacityReserver waitCapacity;
  private volatile QueueSettings settings;

  // guarded by this
  private final NodeBacklogs nodeBacklogs;
  private final BlockedQueues<T> blockedQueues = new BlockedQueues<>();
  private final FairTenantScheduler<T> tenantScheduler;

  private final OvercommitCandidates<T> overcommitCandidates = new OvercommitCandidates<>();

  private long admissions;
  private long nextSequence;

  private final AtomicInteger waiting = new AtomicInteger();

  private final EndedCalls endedCalls = new EndedCalls();
  private final AdmissionQueueStats stats = new AdmissionQueueStats();

  /**
   * What the queue depends on.
   *
   * @param limiters of the nodes
   * @param tenantWeight returns the weight of a tenant by its name
   * @param decisionListener called once a request that waited is admitted or rejected; on any
   *     thread, without a lock
   */
  record Dependencies<T>(
      NodeConcurrencyLimiters limiters,
      ToDoubleFunction<String> tenantWeight,
      Consumer<QueuePosition<T>> decisionListener) {}

  AdmissionQueue(NodeThreadPool work, QueueSettings newSettings, Dependencies<T> dependencies) {
    this.threadPool = work;
    this.settings = newSettings;
    this.dependencies = dependencies;
    this.arrivalCapacity = new CapacityReserver(dependencies.limiters(), work, true);
    this.waitCapacity = new CapacityReserver(dependencies.limiters(), work, false);
    this.nodeBacklogs = new NodeBacklogs(dependencies.limiters(), work);
    this.tenantScheduler = new FairTenantScheduler<>(dependencies.tenantWeight());
  }

  public int waiting() {
    return waiting.get();
  }

  /** Returns the counters of decisions. */
  public AdmissionQueueStats stats() {
    return stats;
  }

  /** Applies other settings from now on. */
  void updateSettings(QueueSettings changed) {
    settings = changed;
    tick();
  }

  /** Drops all other nodes for which nothing waits. */
  void retainNodes(Set<String> nodeIds) {
    stats.retainNodes(nodeIds);
    synchronized (this) {
      nodeBacklogs.retainNodes(nodeIds);
    }
  }

  /**
   * Admits, rejects or queues a request.
   *
   * @return its position. The listener is called once for a request that waits, unless it is
   *     released before. The caller releases an admitted position when its calls were sent
   */
  public QueuePosition<T> offer(T request, QueuedRequest queuedRequest) {
    long now = dependencies.limiters().nanoTime();
    double cost =
        dependencies.limiters().responseTimes(threadPool).unloadedNanos(queuedRequest.costClass());
    QueuePosition<T> position = new QueuePosition<>(request, queuedRequest, now, cost);
    if (!settings.enabled()) {
      position.state(QueuePosition.State.ADMITTED);
      return position;
    }
    List<QueuePosition<T>> decided = List.of();
    synchronized (this) {
      endedCalls.applyTo(tenantScheduler);
      NodeDemand.Need blocked = arrivalCapacity.findBlockedNeed(queuedRequest, Leniency.NONE);
      if (blocked == null && waiting.get() > 0) {
        decided = admitEarlierWaiters(queuedRequest.demand());
        blocked = arrivalCapacity.findBlockedNeed(queuedRequest, Leniency.NONE);
      }
      if (blocked != null) {
        enqueueOrReject(position, blocked, now);
      } else {
        admit(position, arrivalCapacity, Leniency.NONE);
        if (waiting.get() > 0) {
          charge(tenantScheduler.tenantQueue(queuedRequest.tenant()), position);
        }
      }
    }
    decided.forEach(dependencies.decisionListener());
    return position;
  }

  /**
   * Admits requests that already wait for nodes which have just got capacity: they come before the
   * new request.
   */
  private List<QueuePosition<T>> admitEarlierWaiters(NodeDemand demand) {
    List<QueuePosition<T>> decided = new ArrayList<>(0);
    for (String nodeId : demand.allNodes()) {
      admitFrom(nodeId, decided);
    }
    return decided;
  }

  private void enqueueOrReject(QueuePosition<T> position, NodeDemand.Need blocked, long now) {
    List<NodeBacklog> all = nodeBacklogs.of(position.queuedRequest.demand().allNodes());
    all.forEach(NodeBacklog::onArrival);
    WaitQueue.Bottleneck bottleneck =
        nodeBacklogs.chooseBottleneck(position.queuedRequest.demand(), all);
    TenantQueue<T> tenant = tenantScheduler.tenantQueue(position.queuedRequest.tenant());
    tenant.onArrival(position.queuedRequest.origin(), all, now);
    NodeBacklog judgedBacklog = bottleneck.leastBlockedBacklog();
    int own = tenant.countBefore(judgedBacklog, position.virtualDeadlineNanos());
    int otherRequests =
        judgedBacklog.bottleneckRequests.waiting()
            - tenant.countBefore(judgedBacklog, Double.POSITIVE_INFINITY);
    QueueRejection rejection =
        waitLimit(position, tenant, judgedBacklog, now)
            .checkOnArrival(
                own, tenantScheduler.requestsAhead(tenant, judgedBacklog, own, otherRequests));
    if (rejection != null) {
      reject(position, rejection);
      return;
    }
    position.sequence = nextSequence++;
    if (tenant.waiting() == 0) {
      tenantScheduler.activate(tenant);
    }
    enqueue(position, tenant, bottleneck, blocked, now);
    overcommitCandidates.add(position);
    waiting.incrementAndGet();
  }

  private void enqueue(
      QueuePosition<T> position,
      TenantQueue<T> tenant,
      WaitQueue.Bottleneck bottleneck,
      NodeDemand.Need blocked,
      long now) {
    WaitQueue<T> waitQueue = tenant.add(position, bottleneck, now);
    if (waitQueue.size() == 1) {
      blockedQueues.block(waitQueue, blocked);
    }
    position.waitQueue = waitQueue;
  }

  /**
   * Lets a waiting request also use other nodes. It keeps its time of arrival, and counts as no
   * further request; only at the nodes that are new to it has one arrived. Admits it if these have
   * capacity. Has no effect unless the request waits.
   *
   * @param demand of all of the request's calls; without needs, it does not have to wait any longer
   */
  public void widen(QueuePosition<T> position, NodeDemand demand) {
    List<QueuePosition<T>> decided = new ArrayList<>(1);
    synchronized (this) {
      if (position.state() != QueuePosition.State.WAITING
          || demand.candidateNodes().equals(position.queuedRequest.demand().candidateNodes())) {
        return;
      }
      if (demand.needs().isEmpty()) {
        admitUncharged(position, decided);
      } else {
        moveTo(position, demand);
        demand.allNodes().forEach(nodeId -> admitFrom(nodeId, decided));
      }
    }
    decided.forEach(dependencies.decisionListener());
  }

  private void admitUncharged(QueuePosition<T> position, List<QueuePosition<T>> decided) {
    remove(position);
    position.state(QueuePosition.State.ADMITTED);
    decided.add(position);
  }

  /** Moves a waiting position to the queue of another demand. */
  private void moveTo(QueuePosition<T> position, NodeDemand demand) {
    long now = dependencies.limiters().nanoTime();
    WaitQueue<T> left = waitQueue(position);
    position.queuedRequest = position.queuedRequest.withDemand(demand);
    List<NodeBacklog> all = nodeBacklogs.of(demand.allNodes());
    List<NodeBacklog> added = new ArrayList<>(all);
    added.removeAll(left.bottleneck().allBacklogs());
    left.tenant.onArrival(position.queuedRequest.origin(), added, now);
    // joins the new queue before it leaves the old one, so that the tenant never stops waiting
    enqueue(
        position,
        left.tenant,
        nodeBacklogs.chooseBottleneck(demand, all),
        demand.needs().getFirst(),
        now);
    left.tenant.remove(position, left);
    if (left.size() == 0) {
      blockedQueues.unblock(left);
    }
    if (demand.needs().size() == 1) {
      overcommitCandidates.remove(position);
    } else {
      overcommitCandidates.add(position);
    }
  }

  private WaitLimit<T> waitLimit(
      QueuePosition<T> position, TenantQueue<T> tenant, NodeBacklog backlog, long now) {
    return new WaitLimit<>(
        settings,
        threadPool,
        dependencies.limiters(),
        new WaitLimit.Candidate<>(
            position,
            backlog,
            new TenantAtNode<>(tenant, backlog, tenantScheduler),
            now,
            waiting.get()));
  }

  /**
   * Learns from a call that ended what the requests of a tenant cost. Matters, and is recorded,
   * only while requests wait. Takes effect when the call's slot is freed.
   *
   * @param nanos how long the call held its slot
   */
  public void recordCallCost(String tenant, int costClass, double nanos) {
    if (waiting.get() == 0) {
      return;
    }
    double usual = dependencies.limiters().responseTimes(threadPool).unloadedNanos(costClass);
    endedCalls.add(tenant, ResponseTimeTracker.clamp(nanos) / usual);
  }

  /** Admits waiting requests after a call to a node has ended. */
  void onCapacityFreed(NodeConcurrencyLimiter limiter) {
    if (waiting.get() == 0) {
      return;
    }
    List<QueuePosition<T>> decided = new ArrayList<>(2);
    synchronized (this) {
      endedCalls.applyTo(tenantScheduler);
      admitFrom(limiter.nodeId(), decided);
      admitOvercommitted(decided);
    }
    decided.forEach(dependencies.decisionListener());
  }

  /** Checks the heads of queues again that may exceed a limit by now. */
  private void admitOvercommitted(List<QueuePosition<T>> decided) {
    long now = dependencies.limiters().nanoTime();
    Predicate<QueuePosition<T>> hasWaitedLong = position -> hasWaitedLong(position, now);
    QueuePosition<T> next = overcommitCandidates.promoteOldest(hasWaitedLong);
    while (next != null) {
      WaitQueue<T> waitQueue = waitQueue(next);
      if (waitQueue.head() == next && !waitQueue.blockedAt().isEmpty()) {
        admitFrom(waitQueue.blockedAt().getFirst().nodeId, decided);
      }
      next = overcommitCandidates.promoteOldest(hasWaitedLong);
    }
  }

  /** Returns whether a request has waited for half of R0, or for half of the longest wait. */
  private boolean hasWaitedLong(QueuePosition<T> position, long now) {
    double unloaded = dependencies.limiters().responseTimes(threadPool).unloadedNanos();
    double longest = settings.maxWaitNanos() > 0 ? (double) settings.maxWaitNanos() : unloaded;
    return now - position.arrivedNanos > OVERCOMMIT_WAIT_FACTOR * Math.min(unloaded, longest);
  }

  /**
   * Rejects requests that have waited too long, and admits those whose nodes have capacity. Admits
   * all once queueing is disabled.
   */
  public void tick() {
    if (waiting.get() == 0) {
      return;
    }
    List<QueuePosition<T>> decided = new ArrayList<>();
    synchronized (this) {
      long now = dependencies.limiters().nanoTime();
      for (TenantQueue<T> tenant : tenantScheduler.waiting()) {
        for (QueuePosition<T> position : tenant.allPositions()) {
          if (settings.enabled()) {
            rejectIfExpired(position, now, decided);
          } else {
            admitUncharged(position, decided);
          }
        }
      }
      nodeBacklogs.nodeIds().forEach(nodeId -> admitFrom(nodeId, decided));
      admitOvercommitted(decided);
    }
    decided.forEach(dependencies.decisionListener());
  }

  private boolean rejectIfExpired(
      QueuePosition<T> position, long now, List<QueuePosition<T>> decided) {
    if (!WaitLimit.isCheckDue(position, now, settings, threadPool)) {
      return false;
    }
    WaitQueue<T> waitQueue = waitQueue(position);
    QueueRejection rejection =
        waitLimit(position, waitQueue.tenant, waitQueue.bottleneck().leastBlockedBacklog(), now)
            .checkWhileWaiting();
    if (rejection != null) {
      remove(position);
      reject(position, rejection);
      decided.add(position);
    }
    return rejection != null;
  }

  private void admitFrom(String nodeId, List<QueuePosition<T>> decided) {
    if (blockedQueues.isEmptyAt(nodeId)) {
      return;
    }
    long now = dependencies.limiters().nanoTime();
    NodeConcurrencyLimiter limiter = dependencies.limiters().limiter(nodeId, threadPool);
    while (!blockedQueues.isEmptyAt(nodeId)) {
      boolean hasCapacity = limiter.hasCapacity();
      if (!hasCapacity
          && (!overcommitCandidates.hasOvercommitting() || !limiter.hasOvercommitCapacity())) {
        return;
      }
      WaitQueue<T> next = nextQueue(nodeId, now, hasCapacity);
      if (next == null) {
        return;
      }
      QueuePosition<T> position = next.head();
      if (!rejectIfExpired(position, now, decided)) {
        next.bottleneck().onAdmit(now);
        next.tenant.onAdmit(position.queuedRequest.origin(), next.bottleneck().allBacklogs(), now);
        admit(position, waitCapacity, leniency(position, now));
        charge(next.tenant, position);
        remove(position);
        admissions++;
        if (position.queuedRequest.fromClient()) {
          stats.waited(now - position.arrivedNanos);
        }
        decided.add(position);
      }
    }
  }

  /**
   * Returns the next queue in order whose needs can be met now, among those blocked at a node.
   *
   * @param hasCapacity whether the node has capacity for others than those that may exceed a limit
   */
  private @Nullable WaitQueue<T> nextQueue(String nodeId, long now, boolean hasCapacity) {
    boolean firstCome = (admissions + 1) % ARRIVAL_ORDER_INTERVAL == 0;
    NodeBacklog node = nodeBacklogs.backlog(nodeId);
    WaitQueue<T> best = null;
    for (WaitQueue<T> waitQueue : blockedQueues.at(nodeId)) {
      if ((hasCapacity || waitQueue.head().mayOvercommit)
          && (best == null || waitQueue.isBefore(best, node, firstCome))) {
        NodeDemand.Need blocked = findBlockedNeed(waitQueue, now);
        if (blocked == null) {
          best = waitQueue;
        } else if (!blocked.nodes().contains(nodeId)) {
          blockedQueues.block(waitQueue, blocked);
        }
      }
    }
    return best;
  }

  private NodeDemand.@Nullable Need findBlockedNeed(WaitQueue<T> waitQueue, long now) {
    QueuePosition<T> head = waitQueue.head();
    return waitCapacity.findBlockedNeed(head.queuedRequest, leniency(head, now));
  }

  private Leniency leniency(QueuePosition<T> position, long now) {
    if (position.mayOvercommit) {
      return Leniency.LIMITS;
    }
    return hasWaitedLong(position, now) ? Leniency.OWN_MAXIMUM : Leniency.NONE;
  }

  private void charge(TenantQueue<T> tenant, QueuePosition<T> position) {
    double callCost =
        position.costNanos / dependencies.limiters().responseTimes(threadPool).unloadedNanos();
    tenantScheduler.charge(tenant, position.slotReservations, callCost, nodeBacklogs);
  }

  private void admit(QueuePosition<T> position, CapacityReserver capacity, Leniency leniency) {
    position.slotReservations = capacity.reserve(position.queuedRequest, leniency);
    position.state(QueuePosition.State.ADMITTED);
  }

  private void reject(QueuePosition<T> position, QueueRejection rejection) {
    position.reject(rejection);
    if (position.queuedRequest.fromClient()) {
      stats.recordRejection(rejection);
    }
  }

  private void remove(QueuePosition<T> position) {
    WaitQueue<T> waitQueue = waitQueue(position);
    waitQueue.tenant.remove(position, waitQueue);
    overcommitCandidates.remove(position);
    waiting.decrementAndGet();
    if (waitQueue.size() == 0) {
      blockedQueues.unblock(waitQueue);
    }
    if (waitQueue.tenant.waiting() == 0) {
      tenantScheduler.deactivate(waitQueue.tenant);
    }
  }

  private static <T> WaitQueue<T> waitQueue(QueuePosition<T> position) {
    WaitQueue<T> waitQueue = position.waitQueue;
    if (waitQueue == null) {
      throw new IllegalStateException("got a position that never waited (expected: one that does)");
    }
    return waitQueue;
  }

  /**
   * Ends a position after its request left or all its calls were sent. Frees its reserved slots.
   * Has no effect the second time.
   */
  public void release(QueuePosition<T> position) {
    List<QueuePosition.SlotReservation> withdrawn;
    synchronized (this) {
      if (position.state() == QueuePosition.State.WAITING) {
        remove(position);
      }
      position.state(QueuePosition.State.RELEASED);
      withdrawn = position.slotReservations;
      position.slotReservations = List.of();
    }
    withdrawn.forEach(QueuePosition.SlotReservation::cancel);
  }

  /**
   * Returns the number of waiting requests by tenant, for at most {@code most} tenants; those with
   * the most requests first.
   */
  public synchronized Map<String, Integer> waitingByTenant(int most) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    tenantScheduler.waiting().stream()
        .sorted(Comparator.comparingInt((TenantQueue<T> tenant) -> -tenant.waiting()))
        .limit(most)
        .forEach(tenant -> counts.put(tenant.name, tenant.waiting()));
    return counts;
  }

  /** Returns the number of tenants known by name. */
  synchronized int tenantCount() {
    return tenantScheduler.tenantCount();
  }
}
