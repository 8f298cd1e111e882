package dev.weir.admission.queue;

import dev.weir.model.DisplayFormat;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A kind of call that shares a thread pool on a data node; each kind has its own queue here. */
public enum NodeThreadPool {
  /** Searches: the query and fetch phases. */
  SEARCH(true, 24, 30_000_000),
  /** Reads of single documents. */
  GET(false, 24, 30_000_000),
  /** Writes, whose clients are mostly machines and accept longer waits than people do. */
  WRITE(false, 200, 1_000_000_000);

  /** The cost classes of fetches, a bit for each. */
  private static final int FETCH_CLASSES =
      Arrays.stream(NodeCallType.values())
          .filter(type -> type.phase() == Phase.FETCH)
          .mapToInt(type -> 1 << type.costClass())
          .reduce(0, (classes, costClass) -> classes | costClass);

  private final boolean reportsQueueSize;
  private final int maxUsualRequests;
  private final double minRejectionWaitNanos;

  NodeThreadPool(boolean reported, int usual, double leastWaitNanos) {
    this.reportsQueueSize = reported;
    this.maxUsualRequests = usual;
    this.minRejectionWaitNanos = leastWaitNanos;
  }

  /** Returns the pool of a phase; null for a phase without a limited pool. */
  public static @Nullable NodeThreadPool forPhase(Phase phase) {
    return switch (phase) {
      case CAN_MATCH -> null;
      case QUERY, FETCH -> SEARCH;
      case GET -> GET;
      case WRITE -> WRITE;
    };
  }

  /** Returns the phase of the calls that ask for admission. */
  public Phase admittedPhase() {
    return switch (this) {
      case SEARCH -> Phase.QUERY;
      case GET -> Phase.GET;
      case WRITE -> Phase.WRITE;
    };
  }

  public String label() {
    return DisplayFormat.toKebabCase(this);
  }

  /** Returns whether nodes report the length of this pool's queue without the data-node plugin. */
  boolean reportsQueueSize() {
    return reportsQueueSize;
  }

  /**
   * Returns whether calls of a cost class ask for admission. Fetches do not: they belong to
   * searches in progress.
   */
  boolean admits(int costClass) {
    return this != SEARCH
        || ((FETCH_CLASSES >>> Math.floorMod(costClass, ResponseTimeTracker.COST_CLASSES)) & 1)
            == 0;
  }

  /**
   * Returns whether one tenant leaves a part of the threads to others. Nodes have half as many
   * threads again for searches as processors, so a tenant can still use all of these.
   */
  boolean leavesThreadsToOthers() {
    return this == SEARCH;
  }

  /**
   * Returns how many requests may wait or be in flight before their number is more than chance. A
   * system that is busy for a share p of the time has n or more requests with a probability of at
   * most p to the power of n: at 80 % it has 24 or more in 5 of 1000 cases.
   */
  int maxUsualRequests() {
    return maxUsualRequests;
  }

  /** Returns how many clients' requests may wait before any is rejected for its wait. */
  int toleratedWaiters() {
    return maxUsualRequests / 2;
  }

  /** Returns the shortest wait for which a request is rejected, in nanoseconds. */
  double minRejectionWaitNanos() {
    return minRejectionWaitNanos;
  }
}
