package dev.weir.admission.queue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one node has under way of one class, and how much it may have. Each call that begins ends
 * exactly once, in one of the ways below. Safe on any thread; takes no lock but to learn.
 */
public final class NodeLane {
  /** Over what it may have, for a request that has waited for several nodes. */
  private static final double OVER = 1.25;

  private final String nodeId;
  private final WorkClass work;
  private final ResponseTimes times;
  private final LongSupplier nanoTime;
  private final Consumer<NodeLane> freed;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger promised = new AtomicInteger();
  private final @Nullable NodeBytes bytes;
  private volatile int threads = 13;
  private volatile QueueSizer sizer;

  /**
   * What a lane reaches the world through.
   *
   * @param nanoTime a monotonic clock, nanoseconds
   * @param freed hears of every call that ended
   */
  record Around(LongSupplier nanoTime, Consumer<NodeLane> freed) {}

  /**
   * Makes a lane with nothing under way.
   *
   * @param bytes what else must have room; null for nothing
   */
  NodeLane(
      String nodeId,
      WorkClass work,
      QueueTerms terms,
      ResponseTimes times,
      @Nullable NodeBytes bytes,
      Around around) {
    this.nodeId = nodeId;
    this.work = work;
    this.times = times;
    this.bytes = bytes;
    this.nanoTime = around.nanoTime();
    this.freed = around.freed();
    this.sizer = new AutoSizer(() -> threads, work.reported(), terms.bounds());
    use(terms);
  }

  /** Sizes it by other terms from now on, beginning with the limit that it has learned. */
  void use(QueueTerms terms) {
    sizer =
        terms.targetNanos() > 0
            ? new LittleSizer(terms.targetNanos(), terms.frame(), terms.bounds(), sizer.limit())
            : new AutoSizer(() -> threads, work.reported(), terms.bounds(), sizer.learned());
  }

  /** Learns how many threads the node's pool has; at least 1. */
  void threads(int count) {
    threads = Math.max(1, count);
  }

  /** The node. */
  public String nodeId() {
    return nodeId;
  }

  /** The class. */
  public WorkClass work() {
    return work;
  }

  /** Calls sent and not answered. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Calls that were let in and are not sent yet. */
  public int promised() {
    return promised.get();
  }

  /** How many it may have. */
  public double limit() {
    return sizer.limit();
  }

  /** Whether it may have one more. */
  public boolean hasRoom() {
    return occupied() < sizer.limit() && hasBytes();
  }

  private boolean hasBytes() {
    return bytes == null || bytes.hasRoom();
  }

  /** Whether it may have one more of a request that has waited for several nodes at once. */
  boolean hasRoomForPatient() {
    return occupied() < OVER * sizer.limit() && hasBytes();
  }

  double free() {
    return sizer.limit() - occupied();
  }

  private int occupied() {
    return inFlight.get() + promised.get();
  }

  void promise(int calls) {
    promised.addAndGet(calls);
  }

  void withdraw(int calls) {
    promised.addAndGet(-calls);
    freed.accept(this);
  }

  /** A call is sent; returns when, for {@link #answered}. */
  public long began() {
    long now = nanoTime.getAsLong();
    if (inFlight.incrementAndGet() == 1) {
      sizer.woken(now);
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
  public void answered(int costClass, int queue, long beganNanos, boolean whole) {
    int before = inFlight.getAndDecrement();
    if (whole) {
      long now = nanoTime.getAsLong();
      double response = ResponseTimes.sane((double) (now - beganNanos));
      boolean idle = before <= threads && (queue == 0 || !work.reported());
      if (queue >= 0 || !work.reported()) {
        times.answered(costClass, response, idle);
      }
      sizer.answered(
          new QueueSizer.Answer(
              queue, before, response, work.reported() ? 0 : times.known(costClass)),
          now);
    }
    freed.accept(this);
  }

  /** The node refused a call because it is full. */
  public void refused() {
    inFlight.decrementAndGet();
    sizer.refused();
    freed.accept(this);
  }

  /** Nobody waits for a call any more, or it got no answer. */
  public void abandoned() {
    inFlight.decrementAndGet();
    freed.accept(this);
  }
}
