package dev.weir.routing.estimate;

/**
 * Estimates a node's queue and, from it, the load of other clients, without knowing their number.
 * Not thread-safe.
 *
 * <p>While a task waits, all {@code k} threads are busy, so that {@code k + q} requests are at the
 * node; those that are not our own belong to others.
 */
public final class NodeQueueEstimator {
  private static final double MILLI = 1e6;
  private static final double MEMORY_NANOS = 100 * MILLI;
  private static final double MIN_GAIN = 0.05;
  private static final double FADING = 0.95;
  private static final double FULL = 10;

  private double size;
  private double othersLoad;
  private long reportedAtNanos;
  private boolean hasReport;

  /** Returns true after the first report; a rejection is none. */
  public boolean hasReport() {
    return hasReport;
  }

  /**
   * Adds a report.
   *
   * @param queue waiting tasks, at least 0
   * @param own our requests at the node at the time of its response, this one included
   * @param threads k
   */
  public void onReport(int queue, int own, int threads, long nowNanos) {
    double age = hasReport ? Math.max(0, nowNanos - reportedAtNanos) : Double.POSITIVE_INFINITY;
    double seen =
        queue > 0
            ? Math.max(0, (double) threads + queue - own)
            : Math.max(0, Math.min(othersLoad * FADING, threads - own));
    othersLoad += gain(age) * (seen - othersLoad);
    size = queue;
    reportedAtNanos = nowNanos;
    hasReport = true;
  }

  /** Adds a rejection by a full node. */
  public void onRejection(int threads, long nowNanos) {
    size = Math.max(size, FULL * threads);
    othersLoad += 0.3 * Math.max(0, size - othersLoad);
    reportedAtNanos = nowNanos;
  }

  /**
   * Adds a response without a report. Where nothing is ever reported, what a rejection made us
   * assume passes: each response has left the queue.
   */
  public void onUnreportedResponse() {
    if (!hasReport) {
      size = Math.max(0, size - 1);
      othersLoad *= FADING;
    }
  }

  private static double gain(double ageNanos) {
    return Math.max(MIN_GAIN, 1 - Math.exp(-ageNanos / MEMORY_NANOS));
  }

  /** Returns the last reported queue. */
  public double size() {
    return size;
  }

  /** Returns the average number of other clients' requests at the node. */
  public double othersLoad() {
    return othersLoad;
  }

  /** Returns the time of the last report; valid after the first one. */
  public long reportedAtNanos() {
    return reportedAtNanos;
  }
}
