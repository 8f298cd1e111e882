package dev.weir.gateway.reduce.sample;

import java.util.List;

/**
 * Estimates totals and ratios over all shards from those of a sample that answered, as in a
 * one-stage cluster sample without replacement, stratified by index. Used by one thread.
 *
 * <pre>
 *  total     sum over h of N[h] mean(y)[h]
 *  variance  sum over h of g[h],  g[h] = N[h]^2 (1 - n[h]/N[h]) s(y)[h]^2 / n[h]
 *  ratio     total(y) / total(x)
 *  variance  the same with the residuals y - ratio x for y, over total(x)^2
 *  bounds    plus and minus t sqrt(variance),
 *            t with (sum g)^2 / (sum g[h]^2 / (n[h] - 1)) degrees of freedom (Satterthwaite)
 * </pre>
 *
 * where index h has N[h] shards, of which n[h] answered. There are no bounds where an index has one
 * answer and more shards, or none.
 */
final class Estimator {
  private final int[] stratumOf;
  private final int[] shards;
  private final int[] answered;
  private final StudentT quantiles;
  private final boolean bounded;
  private final boolean whole;

  /**
   * Makes one.
   *
   * @param strata how many shards each index has
   * @param stratumOf the index of each shard that answered
   * @param sound whether all that answered told all they have
   */
  Estimator(List<Integer> strata, int[] stratumOf, double confidence, boolean sound) {
    this.stratumOf = stratumOf;
    this.shards = strata.stream().mapToInt(Integer::intValue).toArray();
    this.answered = new int[shards.length];
    for (int stratum : stratumOf) {
      answered[stratum]++;
    }
    this.quantiles = new StudentT(confidence);
    boolean enough = sound;
    boolean all = sound;
    for (int h = 0; h < shards.length; h++) {
      enough &= answered[h] > 1 || answered[h] == shards[h];
      all &= answered[h] == shards[h];
    }
    this.bounded = enough;
    this.whole = all;
  }

  /** How many shards answered. */
  int answered() {
    return stratumOf.length;
  }

  /** Whether all shards did, so that nothing is estimated. */
  boolean whole() {
    return whole;
  }

  /** How many shards one that answered stands for. */
  double weight(int place) {
    int h = stratumOf[place];
    return (double) shards[h] / answered[h];
  }

  /** The total of these, without bounds. */
  double sum(double[] values) {
    double sum = 0;
    for (int i = 0; i < stratumOf.length; i++) {
      if (values[i] != 0) {
        sum += weight(i) * values[i];
      }
    }
    return sum;
  }

  /** The total of what shards have, by their place among those that answered. */
  Estimate total(double[] values) {
    return bounded(sum(values), values, false, 1);
  }

  /**
   * The total of counts, which is at least what was seen. Where none was seen it may be any. Where
   * all shards of an index that were asked have the same, they are taken to differ by chance
   * (Poisson), not never.
   */
  Estimate count(double[] values) {
    double seen = 0;
    for (double value : values) {
      seen += value;
    }
    if (seen == 0 && !whole) {
      return new Estimate(0, 0, Double.NaN);
    }
    return bounded(sum(values), values, true, 1).atLeast(seen);
  }

  /** What one total is to another; NaN where that one is none. */
  Estimate ratio(double[] values, double[] counts) {
    double count = sum(counts);
    if (count == 0) {
      return Estimate.unbounded(Double.NaN);
    }
    double ratio = sum(values) / count;
    double[] residuals = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      residuals[i] = values[i] - ratio * counts[i];
    }
    return bounded(ratio, residuals, false, count);
  }

  private Estimate bounded(double value, double[] values, boolean counts, double divisor) {
    if (whole) {
      return Estimate.exact(value);
    }
    if (!bounded) {
      return Estimate.unbounded(value);
    }
    double[] variances = variances(values, counts);
    double variance = 0;
    double weighed = 0;
    for (int h = 0; h < shards.length; h++) {
      if (answered[h] < shards[h]) {
        double g = variances[h] * shards[h] * (shards[h] - answered[h]) / answered[h];
        variance += g;
        weighed += g * g / (answered[h] - 1);
      }
    }
    if (variance == 0) {
      return Estimate.exact(value);
    }
    double degrees = variance * variance / weighed;
    double off = quantiles.quantile(degrees) * Math.sqrt(variance) / Math.abs(divisor);
    return Double.isFinite(off)
        ? new Estimate(value, value - off, value + off)
        : Estimate.unbounded(value);
  }

  /** How much shards of each index differ, by those that answered. */
  private double[] variances(double[] values, boolean counts) {
    double[] means = new double[shards.length];
    for (int i = 0; i < stratumOf.length; i++) {
      means[stratumOf[i]] += values[i] / answered[stratumOf[i]];
    }
    double[] squares = new double[shards.length];
    for (int i = 0; i < stratumOf.length; i++) {
      double off = values[i] - means[stratumOf[i]];
      squares[stratumOf[i]] += off * off;
    }
    for (int h = 0; h < shards.length; h++) {
      squares[h] = answered[h] > 1 ? squares[h] / (answered[h] - 1) : 0;
      if (counts && squares[h] == 0) {
        squares[h] = means[h];
      }
    }
    return squares;
  }
}
