package dev.weir.routing.estimate;

import java.util.Arrays;

/**
 * Statistics over all nodes in one phase: the mean service time, and the cost of each class of
 * requests relative to the mean. Safe on any thread.
 */
public final class FleetStatistics {
  /** The number of cost classes; other numbers wrap around. */
  public static final int COST_CLASSES = 16;

  private static final double SERVICE_GAIN = 0.02;
  private static final double COST_GAIN = 0.01;
  private static final double MEAN_GAIN = 0.005;
  private static final int MIN_SAMPLES = 20;

  private final double[] costs = new double[COST_CLASSES];
  private final int[] samples = new int[COST_CLASSES];
  private double mean;
  private boolean known;
  private volatile double logServiceNanos;
  private volatile double[] relativeCosts = ones();

  /** Adds a node's service time, as its logarithm. */
  public synchronized void addServiceTime(double logNanos) {
    double before = known ? logServiceNanos : logNanos;
    logServiceNanos = before + SERVICE_GAIN * (logNanos - before);
    known = true;
  }

  /**
   * Adds a response that did not wait in a queue.
   *
   * @param nanos response time divided by the node's relative slowness
   */
  public synchronized void cost(int costClass, double nanos) {
    int c = Math.floorMod(costClass, COST_CLASSES);
    samples[c] = Math.min(samples[c] + 1, 1 << 20);
    costs[c] += Math.max(COST_GAIN, 1.0 / samples[c]) * (nanos - costs[c]);
    mean += (mean == 0 ? 1 : MEAN_GAIN) * (nanos - mean);
    if (samples[c] >= MIN_SAMPLES && mean > 0) {
      double ratio = Math.clamp(costs[c] / mean, 0.02, 1000);
      if (Math.abs(relativeCosts[c] - ratio) > 0.01 * ratio) {
        double[] next = relativeCosts.clone();
        next[c] = ratio;
        relativeCosts = next;
      }
    }
  }

  /** Returns the mean of the logarithm of service times in nanoseconds. */
  public double logServiceNanos() {
    return logServiceNanos;
  }

  /** Returns the cost of a class relative to the mean; 1 while unknown. */
  public double cost(int costClass) {
    return relativeCosts[Math.floorMod(costClass, COST_CLASSES)];
  }

  /** Returns the number of responses behind the cost of a class. */
  public synchronized long sampleCount(int costClass) {
    return samples[Math.floorMod(costClass, COST_CLASSES)];
  }

  private static double[] ones() {
    double[] ones = new double[COST_CLASSES];
    Arrays.fill(ones, 1);
    return ones;
  }
}
