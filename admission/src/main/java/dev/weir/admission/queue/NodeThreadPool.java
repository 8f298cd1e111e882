package dev.weir.admission.queue;

import dev.weir.model.DisplayFormat;
import dev.weir.model.Phase;
import org.jspecify.annotations.Nullable;

/** A class of work: it shares a thread pool on a data node and waits apart from other classes. */
public enum NodeThreadPool {
  /** Searches: their queries and what is fetched for them. */
  SEARCH(true, 24, 30_000_000),
  /** Reads of single documents. */
  GET(false, 24, 30_000_000),
  /** Writes: machines wait for them, and longer than people do. */
  WRITE(false, 200, 1_000_000_000);

  private final boolean reportsQueueSize;
  private final int maxUsualRequests;
  private final double minRejectionWaitNanos;

  NodeThreadPool(boolean reported, int usual, double leastWaitNanos) {
    this.reportsQueueSize = reported;
    this.maxUsualRequests = usual;
    this.minRejectionWaitNanos = leastWaitNanos;
  }

  /** The class of a phase; null for a phase that uses no such pool. */
  public static @Nullable NodeThreadPool forPhase(Phase phase) {
    return switch (phase) {
      case CAN_MATCH -> null;
      case QUERY, FETCH -> SEARCH;
      case GET -> GET;
      case WRITE -> WRITE;
    };
  }

  public String label() {
    return DisplayFormat.toKebabCase(this);
  }

  /** Whether nodes report the length of this pool's queue with their responses. */
  boolean reportsQueueSize() {
    return reportsQueueSize;
  }

  /**
   * How many requests may wait or be in flight before it is more than chance. A system that is busy
   * for a share p of the time has n or more with a probability of at most p to the power of n: 24
   * or more at 80 % in 5 of 1000 cases.
   */
  int maxUsualRequests() {
    return maxUsualRequests;
  }

  /** While this many or fewer wait, none is rejected for its wait. */
  int toleratedWaiters() {
    return maxUsualRequests / 2;
  }

  /** The shortest wait for which a request is rejected. */
  double minRejectionWaitNanos() {
    return minRejectionWaitNanos;
  }
}
