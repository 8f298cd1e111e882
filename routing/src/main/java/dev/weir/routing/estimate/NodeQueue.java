package dev.weir.routing.estimate;

/**
 * A node's queue as it last reported it, and from it the load that others put on the node, without
 * a need to know how many they are. Not thread-safe.
 *
 * <p>While something waits, all {@code k} threads are busy, so {@code k + q} requests are at the
 * node; what is not our own is the others'.
 */
public final class NodeQueue {
  private static final double MILLI = 1e6;
  private static final double MEMORY_NANOS = 100 * MILLI;
  private static final double LEAST_GAIN = 0.05;
  private static final double FADING = 0.95;
  private static final double FULL = 10;

  private double size;
  private double others;
  private long reportedAtNanos;
  private boolean reported;

  /** Whether it was ever reported. */
  public boolean reported() {
    return reported;
  }

  /**
   * Takes a report.
   *
   * @param queue tasks waiting, at least 0
   * @param own requests of ours at the node when it answered, this one among them
   * @param threads k
   */
  public void report(int queue, int own, int threads, long nowNanos) {
    double age = reported ? Math.max(0, nowNanos - reportedAtNanos) : Double.POSITIVE_INFINITY;
    double seen =
        queue > 0
            ? Math.max(0, (double) threads + queue - own)
            : Math.max(0, Math.min(others * FADING, threads - own));
    others += gain(age) * (seen - others);
    size = queue;
    reportedAtNanos = nowNanos;
    reported = true;
  }

  /** Takes a refusal because the node is full. */
  public void refused(int threads, long nowNanos) {
    size = Math.max(size, FULL * threads);
    others += 0.3 * Math.max(0, size - others);
    reportedAtNanos = nowNanos;
    reported = true;
  }

  private static double gain(double ageNanos) {
    return Math.max(LEAST_GAIN, 1 - Math.exp(-ageNanos / MEMORY_NANOS));
  }

  /** The queue as last reported. */
  public double size() {
    return size;
  }

  /** Others' requests at the node, on average. */
  public double others() {
    return others;
  }

  /** When a queue was last reported; valid once one was. */
  public long reportedAtNanos() {
    return reportedAtNanos;
  }
}
