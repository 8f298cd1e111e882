package dev.weir.core.reduce.sample;

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
final class StudentT {
  /** From here on quantiles differ by less than one in a hundred: taken for all beyond. */
  private static final int MOST = 200;

  /** Quantiles are looked up by tenths of a degree of freedom. */
  private static final int PARTS = 10;

  /** What degrees of freedom may lack by rounding, in tenths. */
  private static final double ROUNDING = 1e-9;

  private static final int CELLS_A_DEVIATION = 3;
  private static final int NEWTON_STEPS = 3;

  /** The series for a ratio of gammas has ten digits from here on. */
  private static final int ASYMPTOTIC = 30;

  private static final double OUTER_POINT = Math.sqrt(0.6);

  /** The tables in use; another confidence with the same place takes it over. */
  private static final AtomicReferenceArray<@Nullable StudentT> TABLES =
      new AtomicReferenceArray<>(17);

  private final double confidence;

  /** By tenths from the first degree of freedom on, as bits; 0 where not known yet. */
  private final AtomicLongArray known = new AtomicLongArray((MOST - 1) * PARTS + 1);

  private StudentT(double confidence) {
    this.confidence = confidence;
  }

  /**
   * Those at a confidence.
   *
   * @param confidence how much of the distribution lies between minus and plus the quantile
   */
  static StudentT at(double confidence) {
    if (!(confidence > 0 && confidence <= 0.9999)) {
      throw new IllegalArgumentException(
          "got a confidence of " + confidence + " (expected: over 0, and up to 0.9999)");
    }
    int place = Math.floorMod(Double.hashCode(confidence), TABLES.length());
    StudentT table = TABLES.get(place);
    if (table == null || table.confidence != confidence) {
      table = new StudentT(confidence);
      TABLES.set(place, table);
    }
    return table;
  }

  /**
   * The quantile for so many degrees of freedom, at least one; never one that is too small. Where
   * they are not a number it is that for one.
   */
  double quantile(double degrees) {
    double taken = degrees >= 1 ? Math.min(degrees, MOST) : 1;
    int tenths = (int) Math.floor(taken * PARTS + ROUNDING);
    int place = tenths - PARTS;
    long bits = known.get(place);
    if (bits == 0) {
      bits = Double.doubleToLongBits(computed((double) tenths / PARTS));
      known.set(place, bits);
    }
    return Double.longBitsToDouble(bits);
  }

  private double computed(double degrees) {
    double left = confidence * whole(degrees);
    double cell = 1 / (CELLS_A_DEVIATION * Math.sqrt(degrees));
    double from = 0;
    double next = within(from, cell, degrees);
    while (next < left) {
      left -= next;
      from += cell;
      next = within(from, cell, degrees);
    }
    double width = cell * left / next;
    for (int i = 0; i < NEWTON_STEPS; i++) {
      width += (left - within(from, width, degrees)) / density(from + width, degrees);
    }
    return Math.sqrt(degrees) * Math.sinh(from + width);
  }

  private static double density(double y, double degrees) {
    return Math.pow(Math.cosh(y), -degrees);
  }

  /** How much lies between there and so much further. */
  private static double within(double from, double width, double degrees) {
    double middle = from + width / 2;
    double off = OUTER_POINT * width / 2;
    return width
        / 18
        * (5 * density(middle - off, degrees)
            + 8 * density(middle, degrees)
            + 5 * density(middle + off, degrees));
  }

  /** How much lies above 0. */
  private static double whole(double degrees) {
    double x = degrees / 2;
    double ratio = Math.sqrt(Math.PI) / 2;
    for (; x < ASYMPTOTIC; x++) {
      ratio *= (x + 0.5) / x;
    }
    double series = 1 - (1 - (1 + (5 - 21 / (32 * x)) / (8 * x)) / (16 * x)) / (8 * x);
    return ratio / (Math.sqrt(x) * series);
  }
}
