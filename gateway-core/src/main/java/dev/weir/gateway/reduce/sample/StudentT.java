package dev.weir.gateway.reduce.sample;

import java.util.HashMap;
import java.util.Map;

/**
 * Two-sided quantiles of Student's t distribution at one confidence. Used by one thread.
 *
 * <p>With {@code t = sqrt(df) tan(a)} the density becomes {@code cos(a)^(df-1)}, up to a constant
 * that is the whole integral from 0 to a right angle: both come out of one sum.
 */
final class StudentT {
  private static final int STEPS = 4096;
  private static final double STEP = Math.PI / 2 / STEPS;

  /** From here on the next quantile differs by less than a thousandth: taken for all beyond. */
  private static final double MOST = 200;

  /** Quantiles are looked up by tenths of a degree of freedom. */
  private static final double PARTS = 10;

  private final double confidence;
  private final Map<Integer, Double> known = new HashMap<>();

  /**
   * Makes them.
   *
   * @param confidence how much of the distribution lies between minus and plus the quantile
   */
  StudentT(double confidence) {
    this.confidence = confidence;
  }

  /** The quantile for so many degrees of freedom, at least one; never one that is too small. */
  double quantile(double degrees) {
    int tenths = (int) Math.floor(Math.max(1, Math.min(degrees, MOST)) * PARTS);
    return known.computeIfAbsent(tenths, key -> integrated(key / PARTS));
  }

  private double integrated(double degrees) {
    double[] below = new double[STEPS + 1];
    for (int i = 0; i < STEPS; i++) {
      below[i + 1] = below[i] + Math.pow(Math.cos((i + 0.5) * STEP), degrees - 1);
    }
    double wanted = confidence * below[STEPS];
    int cell = 0;
    while (below[cell + 1] < wanted) {
      cell++;
    }
    double within = (wanted - below[cell]) / (below[cell + 1] - below[cell]);
    return Math.sqrt(degrees) * Math.tan((cell + within) * STEP);
  }
}
