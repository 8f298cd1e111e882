package dev.weir.admission.queue;

/**
 * What calls of a class take: on a node that is not busy (R0), apart for each class of cost, and
 * lately. Nanoseconds. Safe on any thread.
 */
final class ResponseTimes {
  /** What R0 counts as until it is known. */
  static final double UNKNOWN_NANOS = 20e6;

  private static final int CLASSES = 16;
  private static final int KNOWN = 20;
  private static final double GAIN = 0.01;
  private static final double LATELY_GAIN = 0.05;
  private static final double LONGEST_NANOS = 3600e9;

  // guarded by this
  private final double[] byClass = new double[CLASSES];
  private final int[] samples = new int[CLASSES];
  private int all;

  private volatile double unloaded;
  private volatile double lately;

  /** Any number as a response time. */
  static double sane(double nanos) {
    return Double.isNaN(nanos) ? 0 : Math.clamp(nanos, 0, LONGEST_NANOS);
  }

  /**
   * Takes an answer.
   *
   * @param idle whether its node was not busy
   */
  synchronized void answered(int costClass, double nanos, boolean idle) {
    lately += (lately == 0 ? 1 : LATELY_GAIN) * (nanos - lately);
    if (idle) {
      int c = Math.floorMod(costClass, CLASSES);
      samples[c] = Math.min(samples[c] + 1, 1 << 20);
      byClass[c] += Math.max(GAIN, 1.0 / samples[c]) * (nanos - byClass[c]);
      all = Math.min(all + 1, 1 << 20);
      unloaded += Math.max(GAIN, 1.0 / all) * (nanos - unloaded);
    }
  }

  /** R0 over all classes of cost. */
  double unloaded() {
    double known = unloaded;
    return known > 0 ? known : UNKNOWN_NANOS;
  }

  /** R0 of a class of cost; that over all while not known. */
  synchronized double unloaded(int costClass) {
    int c = Math.floorMod(costClass, CLASSES);
    return samples[c] >= KNOWN && byClass[c] > 0 ? byClass[c] : unloaded();
  }

  /** R0 of a class of cost; 0 while not known. */
  synchronized double known(int costClass) {
    int c = Math.floorMod(costClass, CLASSES);
    return samples[c] >= KNOWN ? byClass[c] : 0;
  }

  /** What answers took lately, wherever they came from. */
  double lately() {
    return lately;
  }
}
