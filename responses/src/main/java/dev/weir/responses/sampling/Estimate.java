package dev.weir.responses.sampling;

/**
 * A figure that was estimated, and between which others the true one lies with the confidence that
 * was asked for.
 *
 * @param value the estimate
 * @param lower NaN where it is not known
 * @param upper NaN where it is not known
 */
record Estimate(double value, double lower, double upper) {
  /** Without bounds. */
  static Estimate unbounded(double value) {
    return new Estimate(value, Double.NaN, Double.NaN);
  }

  /** The true one, which was not estimated. */
  static Estimate exact(double value) {
    return new Estimate(value, value, value);
  }

  /** The same, of a count that is at least this. */
  Estimate withMinimum(double seen) {
    return new Estimate(value, Double.isNaN(lower) ? seen : Math.max(lower, seen), upper);
  }

  /** The same, of what may be any number more. */
  Estimate withoutUpperBound() {
    return new Estimate(value, lower, Double.NaN);
  }

  /** The same, of what may be more by this. */
  Estimate withUpperIncreasedBy(double unseen) {
    return new Estimate(value, lower, upper + unseen);
  }

  /** The same as a count. */
  long roundedValue() {
    return Math.round(value);
  }
}
