package dev.weir.responses.sampling;

/**
 * An estimated value with its confidence interval.
 *
 * @param value the estimate
 * @param lower the lower bound; NaN if unknown
 * @param upper the upper bound; NaN if unknown
 */
record Estimate(double value, double lower, double upper) {
  /** Creates an estimate without bounds. */
  static Estimate unbounded(double value) {
    return new Estimate(value, Double.NaN, Double.NaN);
  }

  /** Creates an exact value. */
  static Estimate exact(double value) {
    return new Estimate(value, value, value);
  }

  /** Raises the lower bound of a count to the number seen. */
  Estimate withMinimum(double seen) {
    return new Estimate(value, Double.isNaN(lower) ? seen : Math.max(lower, seen), upper);
  }

  /** Removes both bounds unless they are known. */
  Estimate withBoundsIf(boolean known) {
    return known ? this : unbounded(value);
  }

  /** Removes the upper bound. */
  Estimate withoutUpperBound() {
    return new Estimate(value, lower, Double.NaN);
  }

  /** Raises the upper bound by the possible number of unseen documents. */
  Estimate withUpperIncreasedBy(double unseen) {
    return new Estimate(value, lower, upper + unseen);
  }

  /** Returns the value as a count. */
  long roundedValue() {
    return Math.round(value);
  }
}
