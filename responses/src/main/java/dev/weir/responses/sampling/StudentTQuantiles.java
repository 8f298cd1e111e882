package dev.weir.responses.sampling;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Two-sided quantiles of Student's t distribution at one confidence; each is computed once. Safe on
 * any thread: concurrent callers may compute the same value.
 *
 * <p>With {@code t = sqrt(df) sinh(y)} the density becomes {@code cosh(y)^-df}, up to a constant:
 * it is smooth and falls quickly. Its integral from 0 on is {@code sqrt(pi)/2 gamma(df/2) /
 * gamma((df+1)/2)}, so that only the part within the quantile needs summation: by cells of a third
 * of a standard deviation, with a three-point Gauss-Legendre rule in each.
 */
final class StudentTQuantiles {
  /** Beyond this, quantiles differ by less than 1 %: this one serves for all. */
  private static final int MAX_CACHED_DEGREES = 200;

  /** The table has one quantile for each tenth of a degree of freedom. */
  private static final int STEPS_PER_DEGREE = 10;

  /** The tolerated rounding error of degrees of freedom, in tenths. */
  private static final double ROUNDING = 1e-9;

  private static final int CELLS_PER_DEVIATION = 3;
  private static final int NEWTON_STEPS = 3;

  /** From here on, the series for the ratio of gammas has ten digits. */
  private static final int ASYMPTOTIC_DEGREES = 30;

  private static final double OUTER_POINT = Math.sqrt(0.6);

  /** The tables in use; a new confidence replaces another one in the same slot. */
  private static final AtomicReferenceArray<@Nullable StudentTQuantiles> TABLES =
      new AtomicReferenceArray<>(17);

  private final double confidence;

  /** Quantiles by tenths from the first degree of freedom on, as bits; 0 if not yet computed. */
  private final AtomicLongArray cachedQuantiles =
      new AtomicLongArray((MAX_CACHED_DEGREES - 1) * STEPS_PER_DEGREE + 1);

  private StudentTQuantiles(double confidence) {
    this.confidence = confidence;
  }

  /**
   * Returns the quantiles at a confidence.
   *
   * @param confidence the probability between minus and plus the quantile
   */
  static StudentTQuantiles forConfidence(double confidence) {
    if (!(confidence > 0 && confidence <= 0.9999)) {
      throw new IllegalArgumentException(
          "got a confidence of " + confidence + " (expected: over 0, and up to 0.9999)");
    }
    int place = Math.floorMod(Double.hashCode(confidence), TABLES.length());
    StudentTQuantiles table = TABLES.get(place);
    if (table == null || table.confidence != confidence) {
      table = new StudentTQuantiles(confidence);
      TABLES.set(place, table);
    }
    return table;
  }

  /**
   * Returns the quantile for a number of degrees of freedom, at least one; never one that is too
   * small. NaN counts as one degree.
   */
  double quantile(double degrees) {
    double taken = degrees >= 1 ? Math.min(degrees, MAX_CACHED_DEGREES) : 1;
    int tenths = (int) Math.floor(taken * STEPS_PER_DEGREE + ROUNDING);
    int place = tenths - STEPS_PER_DEGREE;
    long bits = cachedQuantiles.get(place);
    if (bits == 0) {
      bits = Double.doubleToLongBits(computeQuantile((double) tenths / STEPS_PER_DEGREE));
      cachedQuantiles.set(place, bits);
    }
    return Double.longBitsToDouble(bits);
  }

  private double computeQuantile(double degrees) {
    double left = confidence * totalDensity(degrees);
    double cell = 1 / (CELLS_PER_DEVIATION * Math.sqrt(degrees));
    double from = 0;
    double next = integrate(from, cell, degrees);
    while (next < left) {
      left -= next;
      from += cell;
      next = integrate(from, cell, degrees);
    }
    double width = cell * left / next;
    for (int i = 0; i < NEWTON_STEPS; i++) {
      width += (left - integrate(from, width, degrees)) / density(from + width, degrees);
    }
    return Math.sqrt(degrees) * Math.sinh(from + width);
  }

  private static double density(double y, double degrees) {
    return Math.pow(Math.cosh(y), -degrees);
  }

  /** Integrates the density over an interval. */
  private static double integrate(double from, double width, double degrees) {
    double middle = from + width / 2;
    double off = OUTER_POINT * width / 2;
    return width
        / 18
        * (5 * density(middle - off, degrees)
            + 8 * density(middle, degrees)
            + 5 * density(middle + off, degrees));
  }

  /** Integrates the density from 0 to infinity. */
  private static double totalDensity(double degrees) {
    double x = degrees / 2;
    double ratio = Math.sqrt(Math.PI) / 2;
    for (; x < ASYMPTOTIC_DEGREES; x++) {
      ratio *= (x + 0.5) / x;
    }
    double series = 1 - (1 - (1 + (5 - 21 / (32 * x)) / (8 * x)) / (16 * x)) / (8 * x);
    return ratio / (Math.sqrt(x) * series);
  }
}
