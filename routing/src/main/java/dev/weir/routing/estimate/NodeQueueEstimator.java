package dev.weir.routing.estimate;

/**
 * A node's queue as it last reported it, and from it the load that others put on the node, without
 * a need to know how many they are. Not thread-safe.
 *
 * <p>While something waits, all {@code k} threads are busy, so {@code k + q} requests are at the
 * node; what is not our own is the others'.
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

  /** Whether it was ever reported. */
  public boolean hasReport() {
    return hasReport;
  }

  /**
   * Takes a report.
   *
   * @param queue tasks waiting, at least 0
   * @param own requests of ours at the node when it answered, this one among them
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

  /** Takes a refusal because the node is full. */
  public void onRejection(int threads, long nowNanos) {
    size = Math.max(size, FULL * threads);
    othersLoad += 0.3 * Math.max(0, size - othersLoad);
    reportedAtNanos = nowNanos;
    hasReport = true;
  }

  private static double gain(double ageNanos) {
    return Math.max(MIN_GAIN, 1 - Math.exp(-ageNanos / MEMORY_NANOS));
  }

  /** The queue as last reported. */
  public double size() {
    return size;
  }

  /** Others' requests at the node, on average. */
  public double othersLoad() {
    return othersLoad;
  }

  /** When a queue was last reported; valid once one was. */
  public long reportedAtNanos() {
    return reportedAtNanos;
  }
}
