package dev.weir.admission.queue;

import dev.weir.model.DisplayFormat;
import dev.weir.model.Phase;
import org.jspecify.annotations.Nullable;

/** Work that shares a pool of threads on a data node, and waits apart from other work. */
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

  /** The class of a phase; null for what takes no thread of a pool. */
  public static @Nullable NodeThreadPool forPhase(Phase phase) {
    return switch (phase) {
      case CAN_MATCH -> null;
      case QUERY, FETCH -> SEARCH;
      case GET -> GET;
      case WRITE -> WRITE;
    };
  }

  /** Its name for people. */
  public String label() {
    return DisplayFormat.toKebabCase(this);
  }

  /** Whether nodes tell the length of their queue with their answers. */
  boolean reportsQueueSize() {
    return reportsQueueSize;
  }

  /**
   * How many requests may be waiting or under way before that means more than chance. Of a system
   * that is busy for a share p of the time so many are there for a share of p to their power, or
   * less: of 24 at 80 %, 5 in 1000 at most.
   */
  int maxUsualRequests() {
    return maxUsualRequests;
  }

  /** So few may wait for as long as it takes: nothing is refused because of them. */
  int toleratedWaiters() {
    return maxUsualRequests / 2;
  }

  /** The shortest wait that anything is refused for. */
  double minRejectionWaitNanos() {
    return minRejectionWaitNanos;
  }
}
