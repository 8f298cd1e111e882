package dev.weir.responses.sampling;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Two-sided quantiles of Student's t distribution at one confidence, each computed once. Safe on
 * any thread: who asks for the same one at once computes the same.
 *
 * <p>With {@code t = sqrt(df) sinh(y)} the density becomes {@code cosh(y)^-df}, up to a constant:
 * smooth, and nearly zero soon. Its integral from 0 on is {@code sqrt(pi)/2 gamma(df/2) /
 * gamma((df+1)/2)}, so that only what lies within the quantile is summed up: by cells of a third of
 * a standard deviation, with three points of Gauss and Legendre in each.
 */
final class StudentTQuantiles {
  /** From here on quantiles differ by less than one in a hundred: taken for all beyond. */
  private static final int MAX_CACHED_DEGREES = 200;

  /** Quantiles are looked up by tenths of a degree of freedom. */
  private static final int STEPS_PER_DEGREE = 10;

  /** What degrees of freedom may lack by rounding, in tenths. */
  private static final double ROUNDING = 1e-9;

  private static final int CELLS_PER_DEVIATION = 3;
  private static final int NEWTON_STEPS = 3;

  /** The series for a ratio of gammas has ten digits from here on. */
  private static final int ASYMPTOTIC_DEGREES = 30;

  private static final double OUTER_POINT = Math.sqrt(0.6);

  /** The tables in use; another confidence with the same place takes it over. */
  private static final AtomicReferenceArray<@Nullable StudentTQuantiles> TABLES =
      new AtomicReferenceArray<>(17);

  private final double confidence;

  /** By tenths from the first degree of freedom on, as bits; 0 where not known yet. */
  private final AtomicLongArray cachedQuantiles =
      new AtomicLongArray((MAX_CACHED_DEGREES - 1) * STEPS_PER_DEGREE + 1);

  private StudentTQuantiles(double confidence) {
    this.confidence = confidence;
  }

  /**
   * Those at a confidence.
   *
   * @param confidence how much of the distribution lies between minus and plus the quantile
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
   * The quantile for so many degrees of freedom, at least one; never one that is too small. Where
   * they are not a number it is that for one.
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

  /** How much lies between there and so much further. */
  private static double integrate(double from, double width, double degrees) {
    double middle = from + width / 2;
    double off = OUTER_POINT * width / 2;
    return width
        / 18
        * (5 * density(middle - off, degrees)
            + 8 * density(middle, degrees)
            + 5 * density(middle + off, degrees));
  }

  /** How much lies above 0. */
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
