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
 * where index h has N[h] shards, of which n[h] answered. There are no bounds where an index has one
 * answer and more shards, or none; nor of totals and ratios where those of its shards that answered
 * don't differ, which says nothing about the others.
 */
final class StratifiedEstimator {
  /** What differs by less than this part of itself differs by rounding alone. */
  private static final double ROUNDING = 1e-12;

  private final int[] stratumOf;
  private final int[] shardsPerStratum;
  private final int[] sampledShards;
  private final StudentTQuantiles quantiles;
  private final boolean hasBounds;
  private final boolean isComplete;

  /**
   * Creates one. *
   *
   * @param strata how many shards each index has
   * @param stratumOf the index of each shard that answered
   * @param sound whether all that answered told all they have
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

  /** How many shards answered. */
  int sampledShards() {
    return stratumOf.length;
  }

  /** Whether all shards did, so that nothing is estimated. */
  boolean isComplete() {
    return isComplete;
  }

  /** How many shards one that answered stands for. */
  double weight(int place) {
    int h = stratumOf[place];
    return (double) shardsPerStratum[h] / sampledShards[h];
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
   * The total of counts, which is at least what was seen. Where an index was asked in part and none
   * was seen, there may be any number. Where all shards of an index that were asked have the same,
   * they are taken to differ by chance (Poisson), not never.
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
   * What one total is to another; NaN where that one is none. Two shards of each index that was
   * asked in part must have some of it for bounds: from one alone nothing differs.
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

  /** Whether each index of which some shards did not answer has more than this. */
  private boolean allSampledStrataExceed(double[] byIndex, double than) {
    for (int h = 0; h < shardsPerStratum.length; h++) {
      if (sampledShards[h] < shardsPerStratum[h] && byIndex[h] <= than) {
        return false;
      }
    }
    return true;
  }

  /** How far off a total may be where shards of each index differ so; NaN where not known. */
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
        double part = g[h] / variance; // not g^2, which numbers may be too large for
        weighed += part * part / (sampledShards[h] - 1);
      }
    }
    double off = quantiles.quantile(1 / weighed) * Math.sqrt(variance);
    return Double.isFinite(off) ? off : Double.NaN;
  }

  /** What the shards of each index have together, of those that answered. */
  private double[] sums(double[] values) {
    double[] sums = new double[shardsPerStratum.length];
    for (int i = 0; i < stratumOf.length; i++) {
      sums[stratumOf[i]] += values[i];
    }
    return sums;
  }

  /**
   * How much shards of each index differ, by those that answered: s^2, 0 where they don't.
   *
   * @param sizes of what the values were computed from, which tell what is rounding
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
