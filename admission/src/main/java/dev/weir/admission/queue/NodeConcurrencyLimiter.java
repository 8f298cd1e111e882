package dev.weir.admission.queue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one node has under way of one class, and how much it may have. Each call that begins ends
 * exactly once, in one of the ways below. Safe on any thread; takes no lock but to learn.
 */
public final class NodeConcurrencyLimiter {
  /** Over what it may have, for a request that has waited for several nodes. */
  private static final double OVERCOMMIT_FACTOR = 1.25;

  private final String nodeId;
  private final NodeThreadPool threadPool;
  private final ResponseTimeTracker responseTimes;
  private final LongSupplier nanoTime;
  private final Consumer<NodeConcurrencyLimiter> freedListener;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger reserved = new AtomicInteger();
  private final @Nullable NodeWriteBytesLimiter writeBytesLimiter;
  private volatile int threads = 13;
  private volatile AdaptiveLimit adaptiveLimit;

  /**
   * What a lane reaches the world through.
   *
   * @param nanoTime a monotonic clock, nanoseconds
   * @param freedListener hears of every call that ended
   */
  record Dependencies(LongSupplier nanoTime, Consumer<NodeConcurrencyLimiter> freedListener) {}

  /**
   * Makes a lane with nothing under way.
   *
   * @param bytes what else must have room; null for nothing
   */
  NodeConcurrencyLimiter(
      String nodeId,
      NodeThreadPool work,
      QueueSettings terms,
      ResponseTimeTracker times,
      @Nullable NodeWriteBytesLimiter bytes,
      Dependencies around) {
    this.nodeId = nodeId;
    this.threadPool = work;
    this.responseTimes = times;
    this.writeBytesLimiter = bytes;
    this.nanoTime = around.nanoTime();
    this.freedListener = around.freedListener();
    this.adaptiveLimit = new AimdLimit(() -> threads, work.reportsQueueSize(), terms.bounds());
    updateSettings(terms);
  }

  /** Sizes it by other terms from now on, beginning with the limit that it has learned. */
  void updateSettings(QueueSettings terms) {
    adaptiveLimit =
        terms.targetResponseNanos() > 0
            ? new LittlesLawLimit(
                terms.targetResponseNanos(), terms.window(), terms.bounds(), adaptiveLimit.limit())
            : new AimdLimit(
                () -> threads,
                threadPool.reportsQueueSize(),
                terms.bounds(),
                adaptiveLimit.learnedLimit());
  }

  /** Learns how many threads the node's pool has; at least 1. */
  void setThreads(int count) {
    threads = Math.max(1, count);
  }

  /** The node. */
  public String nodeId() {
    return nodeId;
  }

  /** The class. */
  public NodeThreadPool threadPool() {
    return threadPool;
  }

  /** Calls sent and not answered. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Calls that were let in and are not sent yet. */
  public int reserved() {
    return reserved.get();
  }

  /** How many it may have. */
  public double limit() {
    return adaptiveLimit.limit();
  }

  /** Whether it may have one more. */
  public boolean hasCapacity() {
    return occupiedSlots() < adaptiveLimit.limit() && hasByteCapacity();
  }

  private boolean hasByteCapacity() {
    return writeBytesLimiter == null || writeBytesLimiter.hasCapacity();
  }

  /** Whether it may have one more of a request that has waited for several nodes at once. */
  boolean hasOvercommitCapacity() {
    return occupiedSlots() < OVERCOMMIT_FACTOR * adaptiveLimit.limit() && hasByteCapacity();
  }

  double freeSlots() {
    return adaptiveLimit.limit() - occupiedSlots();
  }

  private int occupiedSlots() {
    return inFlight.get() + reserved.get();
  }

  void reserve(int calls) {
    reserved.addAndGet(calls);
  }

  void cancelReservation(int calls) {
    reserved.addAndGet(-calls);
    freedListener.accept(this);
  }

  /** A call is sent; returns when, for {@link #onResponse}. */
  public long onCallStart() {
    long now = nanoTime.getAsLong();
    if (inFlight.incrementAndGet() == 1) {
      adaptiveLimit.onFirstCall(now);
    }
    return now;
  }

  /**
   * A call was answered, be it with an error that is no refusal.
   *
   * @param queue the node's queue as it reports it; negative where it does not
   * @param beganNanos when it began
   * @param whole whether it did the work that calls of this class do
   */
  public void onResponse(int costClass, int queue, long beganNanos, boolean whole) {
    int before = inFlight.getAndDecrement();
    if (whole) {
      long now = nanoTime.getAsLong();
      double response = ResponseTimeTracker.clamp((double) (now - beganNanos));
      boolean idle = before <= threads && (queue == 0 || !threadPool.reportsQueueSize());
      if (queue >= 0 || !threadPool.reportsQueueSize()) {
        responseTimes.record(costClass, response, idle);
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

  /** The node refused a call because it is full. */
  public void onRejection() {
    inFlight.decrementAndGet();
    adaptiveLimit.onRejection();
    freedListener.accept(this);
  }

  /** Nobody waits for a call any more, or it got no answer. */
  public void onAbandoned() {
    inFlight.decrementAndGet();
    freedListener.accept(this);
  }
}
