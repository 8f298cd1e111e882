package dev.weir.responses.sampling;

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
 * where index h has N[h] shards, of which n[h] responded. There are no bounds if an index with
 * several shards has fewer than two responses. Totals and ratios have no bounds either if the
 * responding shards of an index do not differ, because that says nothing about the others.
 */
final class StratifiedEstimator {
  /** A relative difference below this is a rounding error. */
  private static final double ROUNDING = 1e-12;

  private final int[] stratumOf;
  private final int[] shardsPerStratum;
  private final int[] sampledShards;
  private final StudentTQuantiles quantiles;
  private final boolean hasBounds;
  private final boolean isComplete;

  /**
   * Creates an estimator.
   *
   * @param strata the number of shards of each index
   * @param stratumOf the index (by position in {@code strata}) of each shard that responded
   * @param sound all results are complete
   */
  StratifiedEstimator(List<Integer> strata, int[] stratumOf, double confidence, boolean sound) {
    this.stratumOf = stratumOf;
    this.shardsPerStratum = strata.stream().mapToInt(Integer::intValue).toArray();
    this.sampledShards = new int[shardsPerStratum.length];
    for (int stratum : stratumOf) {
      sampledShards[stratum]++;
    }
    this.quantiles = StudentTQuantiles.forConfidence(confidence);
    boolean enough = sound;
    boolean all = sound;
    for (int h = 0; h < shardsPerStratum.length; h++) {
      enough &= sampledShards[h] > 1 || sampledShards[h] == shardsPerStratum[h];
      all &= sampledShards[h] == shardsPerStratum[h];
    }
    this.hasBounds = enough;
    this.isComplete = all;
  }

  /** Returns the number of shards that responded. */
  int sampledShards() {
    return stratumOf.length;
  }

  /** Returns true if all shards responded, so that nothing is estimated. */
  boolean isComplete() {
    return isComplete;
  }

  /** Returns how many shards a responding shard stands for. */
  double weight(int place) {
    int h = stratumOf[place];
    return (double) shardsPerStratum[h] / sampledShards[h];
  }

  /** Estimates a total, without bounds. */
  double sum(double[] values) {
    double sum = 0;
    for (int i = 0; i < stratumOf.length; i++) {
      if (values[i] != 0) {
        sum += weight(i) * values[i];
      }
    }
    return sum;
  }

  /**
   * Estimates a total.
   *
   * @param values by index of the shards that responded
   */
  Estimate total(double[] values) {
    double total = sum(values);
    if (isComplete) {
      return Estimate.exact(total);
    }
    double[] squares = squares(values, values);
    return allSampledStrataExceed(squares, 0)
        ? withInterval(total, margin(squares))
        : Estimate.unbounded(total);
  }

  /**
   * Estimates a total of counts, which is at least the count seen. If an index was sampled and none
   * was seen there, the total has no upper bound. If all sampled shards of an index have the same
   * count, the estimate assumes random (Poisson) differences between shards instead of none.
   */
  Estimate count(double[] values) {
    double total = sum(values);
    if (isComplete) {
      return Estimate.exact(total);
    }
    double[] sums = sums(values);
    double[] squares = squares(values, values);
    double seen = 0;
    for (int h = 0; h < shardsPerStratum.length; h++) {
      seen += sums[h];
      if (squares[h] == 0 && sampledShards[h] > 0) {
        squares[h] = sums[h] / sampledShards[h];
      }
    }
    Estimate count = withInterval(total, margin(squares)).withMinimum(seen);
    return allSampledStrataExceed(sums, 0) ? count : count.withoutUpperBound();
  }

  /**
   * Estimates the ratio of two totals; NaN if the second one is zero. Bounds require, for each
   * sampled index, at least two shards with a nonzero second value: one shard alone shows no
   * variance.
   */
  Estimate ratio(double[] values, double[] counts) {
    double count = sum(counts);
    if (count == 0) {
      return Estimate.unbounded(Double.NaN);
    }
    double ratio = sum(values) / count;
    if (isComplete) {
      return Estimate.exact(ratio);
    }
    double[] residuals = new double[values.length];
    double[] sizes = new double[values.length];
    double[] having = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      residuals[i] = values[i] - ratio * counts[i];
      sizes[i] = Math.abs(values[i]) + Math.abs(ratio * counts[i]);
      having[i] = counts[i] > 0 ? 1 : 0;
    }
    double[] squares = squares(residuals, sizes);
    return allSampledStrataExceed(sums(having), 1) && allSampledStrataExceed(squares, 0)
        ? withInterval(ratio, margin(squares) / count)
        : Estimate.unbounded(ratio);
  }

  private static Estimate withInterval(double value, double off) {
    return new Estimate(value, value - off, value + off);
  }

  /** Returns true if each sampled index has more than this value. */
  private boolean allSampledStrataExceed(double[] byIndex, double than) {
    for (int h = 0; h < shardsPerStratum.length; h++) {
      if (sampledShards[h] < shardsPerStratum[h] && byIndex[h] <= than) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the margin of error of a total; NaN if unknown.
   *
   * @param squares the variance between the shards of each index
   */
  private double margin(double[] squares) {
    if (!hasBounds) {
      return Double.NaN;
    }
    double[] g = new double[shardsPerStratum.length];
    double variance = 0;
    for (int h = 0; h < shardsPerStratum.length; h++) {
      if (sampledShards[h] < shardsPerStratum[h]) {
        g[h] =
            squares[h]
                * shardsPerStratum[h]
                * (shardsPerStratum[h] - sampledShards[h])
                / sampledShards[h];
        variance += g[h];
      }
    }
    if (variance == 0) {
      return 0;
    }
    double weighed = 0;
    for (int h = 0; h < shardsPerStratum.length; h++) {
      if (sampledShards[h] < shardsPerStratum[h]) {
        double part = g[h] / variance; // squaring g itself could overflow
        weighed += part * part / (sampledShards[h] - 1);
      }
    }
    double off = quantiles.quantile(1 / weighed) * Math.sqrt(variance);
    return Double.isFinite(off) ? off : Double.NaN;
  }

  /** Sums the values of the shards that responded, by index. */
  private double[] sums(double[] values) {
    double[] sums = new double[shardsPerStratum.length];
    for (int i = 0; i < stratumOf.length; i++) {
      sums[stratumOf[i]] += values[i];
    }
    return sums;
  }

  /**
   * Returns the variance s^2 between the shards of each index; 0 for equal values.
   *
   * @param sizes the magnitude of the numbers behind the values, to recognize rounding errors
   */
  private double[] squares(double[] values, double[] sizes) {
    double[] sums = sums(values);
    double[] squares = new double[shardsPerStratum.length];
    for (int i = 0; i < stratumOf.length; i++) {
      int h = stratumOf[i];
      double off = values[i] - sums[h] / sampledShards[h];
      if (Math.abs(off) > ROUNDING * Math.abs(sizes[i])) {
        squares[h] += off * off;
      }
    }
    for (int h = 0; h < shardsPerStratum.length; h++) {
      squares[h] = sampledShards[h] > 1 ? squares[h] / (sampledShards[h] - 1) : 0;
    }
    return squares;
  }
}
