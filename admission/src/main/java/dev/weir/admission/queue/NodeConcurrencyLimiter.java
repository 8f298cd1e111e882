package dev.weir.admission.queue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Counts the calls in flight to one thread pool of a node, and limits them. Each call that starts
 * ends exactly once, by one of the methods below. Safe on any thread; takes a lock only to learn.
 */
public final class NodeConcurrencyLimiter {
  /** The factor by which a request that has waited for several nodes may exceed the limit. */
  private static final double OVERCOMMIT_FACTOR = 1.25;

  /** The part of a node's threads that one tenant may use while others use the node too. */
  private static final double TENANT_SHARE = 0.75;

  private final String nodeId;
  private final NodeThreadPool threadPool;
  private final ResponseTimeTracker responseTimes;
  private final LongSupplier nanoTime;
  private final ToDoubleFunction<String> tenantWeight;
  private final Consumer<NodeConcurrencyLimiter> freedListener;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger reserved = new AtomicInteger();
  private final HeldSlots heldSlots = new HeldSlots();
  private final @Nullable NodeWriteBytesLimiter writeBytesLimiter;
  private volatile int threads = 13;
  private volatile AdaptiveLimit adaptiveLimit;

  /**
   * What the limiter depends on.
   *
   * @param nanoTime a monotonic clock in nanoseconds
   * @param tenantWeight returns the weight of a tenant by its name
   * @param freedListener called after every call that ended
   */
  record Dependencies(
      LongSupplier nanoTime,
      ToDoubleFunction<String> tenantWeight,
      Consumer<NodeConcurrencyLimiter> freedListener) {}

  /**
   * Creates a limiter with nothing in flight.
   *
   * @param bytes a further limiter that must have capacity; null for none
   */
  NodeConcurrencyLimiter(
      String nodeId,
      NodeThreadPool work,
      QueueSettings newSettings,
      ResponseTimeTracker times,
      @Nullable NodeWriteBytesLimiter bytes,
      Dependencies dependencies) {
    this.nodeId = nodeId;
    this.threadPool = work;
    this.responseTimes = times;
    this.writeBytesLimiter = bytes;
    this.nanoTime = dependencies.nanoTime();
    this.tenantWeight = dependencies.tenantWeight();
    this.freedListener = dependencies.freedListener();
    this.adaptiveLimit =
        new AimdLimit(() -> threads, work.reportsQueueSize(), newSettings.bounds());
    updateSettings(newSettings);
  }

  /** Applies other settings, starting from the learned limit. */
  void updateSettings(QueueSettings newSettings) {
    adaptiveLimit =
        newSettings.targetResponseNanos() > 0
            ? new LittlesLawLimit(
                newSettings.targetResponseNanos(),
                newSettings.window(),
                newSettings.bounds(),
                adaptiveLimit.limit())
            : new AimdLimit(
                () -> threads,
                threadPool.reportsQueueSize(),
                newSettings.bounds(),
                adaptiveLimit.learnedLimit());
  }

  /** Sets the size of the node's thread pool; at least 1. */
  void setThreads(int count) {
    threads = Math.max(1, count);
  }

  public String nodeId() {
    return nodeId;
  }

  public NodeThreadPool threadPool() {
    return threadPool;
  }

  /** Returns the number of calls without a response yet. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Returns the number of calls that were admitted and not sent yet. */
  public int reserved() {
    return reserved.get();
  }

  /** Returns the calls of each tenant. The code that starts and ends calls keeps them. */
  public HeldSlots heldSlots() {
    return heldSlots;
  }

  /** Returns the limit of calls in flight. */
  public double limit() {
    return adaptiveLimit.limit();
  }

  /** Returns whether another call fits, if no other tenant uses the node. */
  public boolean hasCapacity() {
    return hasCapacity(1);
  }

  /** Returns whether another call fits for a request that has waited for several nodes. */
  boolean hasOvercommitCapacity() {
    return hasCapacity(OVERCOMMIT_FACTOR);
  }

  private boolean hasCapacity(double overcommit) {
    return occupiedSlots() < overcommit * adaptiveLimit.limit()
        && (writeBytesLimiter == null || writeBytesLimiter.hasCapacity());
  }

  /**
   * Returns whether calls of a tenant fit that one request makes. While others use the node too,
   * all calls together have no more than its threads, and each tenant has a maximum: a call would
   * otherwise wait for the slowest one of another tenant. A tenant without calls may exceed its
   * maximum by one request.
   */
  public boolean hasCapacityFor(String tenant, int calls) {
    return hasCapacityFor(tenant, calls, Leniency.NONE);
  }

  /** Returns whether calls of a request fit that may have waited long. */
  boolean hasCapacityFor(String tenant, int calls, Leniency leniency) {
    double overcommit = leniency == Leniency.LIMITS ? OVERCOMMIT_FACTOR : 1;
    if (!hasCapacity(overcommit)) {
      return false;
    }
    if (!threadPool.leavesThreadsToOthers()) {
      return true;
    }
    int held = heldSlots.countOf(tenant);
    boolean fitsBesideOthers = occupiedSlots() < overcommit * sharedLimit();
    if (fitsBesideOthers && held > 0) {
      double max = maxCalls(tenant, overcommit);
      double counted = leniency == Leniency.NONE ? Math.min(calls, max) : 1;
      fitsBesideOthers = held + counted <= max;
    }
    return fitsBesideOthers || !isShared(tenant);
  }

  /** Returns how many calls of a tenant may be in flight while others use the node too. */
  private double maxCalls(String tenant, double overcommit) {
    double shared = Math.max(1, Math.floor(sharedLimit()));
    double max = Math.floor(TENANT_SHARE * shared);
    double weight = tenantWeight.applyAsDouble(tenant);
    if (weight > 1) { // its share beside one tenant of the usual weight
      max = Math.max(max, Math.ceil(shared * (1 - 1 / (weight + 1))));
    }
    max = Math.max(1, Math.min(max, shared - 1));
    return Math.max(max, Math.min(overcommit * max, threads - 1.0));
  }

  /** Returns the limit of calls in flight while several tenants use the node. */
  private double sharedLimit() {
    return Math.min(threads, adaptiveLimit.limit());
  }

  private boolean isShared(String tenant) {
    return threadPool.leavesThreadsToOthers() && heldSlots.isShared(tenant, nanoTime.getAsLong());
  }

  /** Returns what keeps a tenant's next call waiting, and how far it is used. */
  QueueRejection.FullNode fullNodeFor(String tenant) {
    if (!isShared(tenant)) {
      return new QueueRejection.FullNode(nodeId, threadPool, inFlight(), adaptiveLimit.limit());
    }
    double max = maxCalls(tenant, 1);
    int held = heldSlots.countOf(tenant);
    return max - held < sharedLimit() - occupiedSlots()
        ? new QueueRejection.FullNode(nodeId, threadPool, held, max, true)
        : new QueueRejection.FullNode(nodeId, threadPool, inFlight(), sharedLimit());
  }

  /** Returns how many more calls of a tenant fit; negative if there are too many. */
  double freeSlotsFor(String tenant) {
    if (!isShared(tenant)) {
      return freeSlots();
    }
    return Math.min(
        sharedLimit() - occupiedSlots(), maxCalls(tenant, 1) - heldSlots.countOf(tenant));
  }

  double freeSlots() {
    return adaptiveLimit.limit() - occupiedSlots();
  }

  private int occupiedSlots() {
    return inFlight.get() + reserved.get();
  }

  void reserve(String tenant, int calls) {
    reserved.addAndGet(calls);
    heldSlots.add(tenant, calls);
  }

  void cancelReservation(String tenant, int calls) {
    reserved.addAndGet(-calls);
    heldSlots.add(tenant, -calls);
    freedListener.accept(this);
  }

  /** Records a call that is sent; returns its start time for {@link #onResponse}. */
  public long onCallStart() {
    long now = nanoTime.getAsLong();
    if (inFlight.incrementAndGet() == 1) {
      adaptiveLimit.onFirstCall(now);
    }
    return now;
  }

  /**
   * Records a response, also an error other than a rejection.
   *
   * @param queue the node's queue as it reports it; negative if it does not
   * @param beganNanos the start time of the call
   * @param whole whether the call did the full work of its cost class
   */
  public void onResponse(int costClass, int queue, long beganNanos, boolean whole) {
    int before = inFlight.getAndDecrement();
    if (whole) {
      long now = nanoTime.getAsLong();
      double response = ResponseTimeTracker.clamp((double) (now - beganNanos));
      boolean unreported = queue < 0 && !threadPool.reportsQueueSize();
      if ((queue >= 0 || unreported) && threadPool.admits(costClass)) {
        responseTimes.record(costClass, response, before <= threads && (queue == 0 || unreported));
      }
      adaptiveLimit.onSample(
          new AdaptiveLimit.Sample(
              queue,
              before,
              response,
              threadPool.reportsQueueSize() ? 0 : responseTimes.knownUnloadedNanos(costClass)),
          now);
    }
    freedListener.accept(this);
  }

  /**
   * Records that the node rejected a call because its queue is full.
   *
   * @param beganNanos the start time of the call
   */
  public void onRejection(long beganNanos) {
    inFlight.decrementAndGet();
    adaptiveLimit.onRejection(beganNanos, nanoTime.getAsLong());
    freedListener.accept(this);
  }

  /** Records that a call was cancelled or got no response. */
  public void onAbandoned() {
    inFlight.decrementAndGet();
    freedListener.accept(this);
  }
}
