package dev.weir.admission.queue;

/**
 * Tracks the response times of the calls to one thread pool that ask for admission, in nanoseconds:
 * on an unloaded node (R0), by cost class, and recent ones (R). Safe on any thread.
 */
final class ResponseTimeTracker {
  /** The value of R0 while it is unknown. */
  static final double DEFAULT_UNLOADED_NANOS = 20e6;

  /** The number of cost classes; other numbers wrap around. */
  static final int COST_CLASSES = 16;

  private static final int MIN_SAMPLES = 20;
  private static final double GAIN = 0.01;
  private static final double RECENT_GAIN = 0.05;
  private static final double MAX_NANOS = 3600e9;

  // guarded by this
  private final double[] byClass = new double[COST_CLASSES];
  private final int[] samples = new int[COST_CLASSES];
  private int all;

  private volatile double unloadedNanos;
  private volatile double recentNanos;

  /** Makes any number a valid response time. */
  static double clamp(double nanos) {
    return Double.isNaN(nanos) ? 0 : Math.clamp(nanos, 0, MAX_NANOS);
  }

  /**
   * Records a response.
   *
   * @param idle whether the node was unloaded
   */
  synchronized void record(int costClass, double nanos, boolean idle) {
    recentNanos += (recentNanos == 0 ? 1 : RECENT_GAIN) * (nanos - recentNanos);
    if (idle) {
      int c = Math.floorMod(costClass, COST_CLASSES);
      samples[c] = Math.min(samples[c] + 1, 1 << 20);
      byClass[c] += Math.max(GAIN, 1.0 / samples[c]) * (nanos - byClass[c]);
      all = Math.min(all + 1, 1 << 20);
      unloadedNanos += Math.max(GAIN, 1.0 / all) * (nanos - unloadedNanos);
    }
  }

  /** Returns R0 over all cost classes. */
  double unloadedNanos() {
    double known = unloadedNanos;
    return known > 0 ? known : DEFAULT_UNLOADED_NANOS;
  }

  /** Returns R0 of a cost class; the overall R0 while unknown. */
  synchronized double unloadedNanos(int costClass) {
    int c = Math.floorMod(costClass, COST_CLASSES);
    return samples[c] >= MIN_SAMPLES && byClass[c] > 0 ? byClass[c] : unloadedNanos();
  }

  /** Returns R0 of a cost class; 0 while unknown. */
  synchronized double knownUnloadedNanos(int costClass) {
    int c = Math.floorMod(costClass, COST_CLASSES);
    return samples[c] >= MIN_SAMPLES ? byClass[c] : 0;
  }

  /** Returns the average of recent response times of all nodes. */
  double recentNanos() {
    return recentNanos;
  }
}
