package dev.weir.routing.tail;

import java.util.function.IntSupplier;

/**
 * How many requests one gateway may have under way on one node before others wait: grows while the
 * node reports no queue, shrinks while it reports one. Safe on any thread.
 *
 * <p>Additive increase, multiplicative decrease: starts at 1.25 k for k threads; with a reported
 * queue over {@code max(2, k / 6)} times 0.9, once a response time; with an empty queue, when the
 * limit was reached, plus {@code min(1, 2 / limit)}. Gateways that share a node so come to share
 * it, and a far node gets what it takes to fill the way to it. Where nodes report no queue the
 * limit is wide, {@code max(32, 8 k)}, and shrinks by refusals alone.
 */
public final class InFlightLimit {
  private static final double MIN_LIMIT = 2;
  private static final double DECREASE_FACTOR = 0.9;
  private static final double REJECTION_DECREASE_FACTOR = 0.7;
  private static final double MIN_DECREASE_INTERVAL_NANOS = 5e6;
  private static final double MAX_THREAD_MULTIPLE = 32;

  private final IntSupplier threads;
  private final boolean hasReport;

  /** 0 while nothing was learned: then it follows the number of threads. */
  private volatile double learned;

  private long decreasedAtNanos;
  private boolean hasDecreased;

  /**
   * Makes a limit.
   *
   * @param threads of the node's pool; may become known later
   * @param reported whether nodes report their queue with this kind of work
   */
  public InFlightLimit(IntSupplier threads, boolean reported) {
    this.threads = threads;
    this.hasReport = reported;
  }

  /** Whether one more may be sent. */
  public boolean hasCapacity(int outstanding) {
    return outstanding < limit();
  }

  /** The limit. */
  public double limit() {
    double limit = learned;
    return limit > 0 ? limit : start();
  }

  private double start() {
    int k = threads.getAsInt();
    return hasReport ? Math.max(MIN_LIMIT, 1.25 * k) : Math.max(32, 8.0 * k);
  }

  private double max() {
    return hasReport ? MAX_THREAD_MULTIPLE * threads.getAsInt() : start();
  }

  private double min() {
    return hasReport ? MIN_LIMIT : Math.max(8, 2.0 * threads.getAsInt());
  }

  /**
   * Learns from an answer.
   *
   * @param queue as reported; negative where it was not
   * @param outstanding when it was answered, itself among them
   */
  public synchronized void onResponse(
      int queue, int outstanding, long responseNanos, long nowNanos) {
    double limit = limit();
    if (queue > Math.max(2, threads.getAsInt() / 6)) {
      double pause = Math.max(MIN_DECREASE_INTERVAL_NANOS, (double) responseNanos);
      if (!hasDecreased || nowNanos - decreasedAtNanos > pause) {
        learned = Math.max(min(), limit * DECREASE_FACTOR);
        decreasedAtNanos = nowNanos;
        hasDecreased = true;
      }
    } else if ((queue == 0 || (queue < 0 && !hasReport)) && outstanding >= limit - 1) {
      learned = Math.min(max(), limit + Math.min(1, 2 / limit));
    }
  }

  /** Learns that the node refused work because it is full. */
  public synchronized void onRejection() {
    learned = Math.max(min(), limit() * REJECTION_DECREASE_FACTOR);
  }
}
