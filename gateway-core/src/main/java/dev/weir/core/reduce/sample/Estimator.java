package dev.weir.core.reduce.sample;

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
final class Estimator {
  /** What differs by less than this part of itself differs by rounding alone. */
  private static final double ROUNDING = 1e-12;

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
    this.quantiles = StudentT.at(confidence);
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
    double total = sum(values);
    if (whole) {
      return Estimate.exact(total);
    }
    double[] squares = squares(values, values);
    return allOfPartlyAsked(squares, 0) ? around(total, off(squares)) : Estimate.unbounded(total);
  }

  /**
   * The total of counts, which is at least what was seen. Where an index was asked in part and none
   * was seen, there may be any number. Where all shards of an index that were asked have the same,
   * they are taken to differ by chance (Poisson), not never.
   */
  Estimate count(double[] values) {
    double total = sum(values);
    if (whole) {
      return Estimate.exact(total);
    }
    double[] sums = sums(values);
    double[] squares = squares(values, values);
    double seen = 0;
    for (int h = 0; h < shards.length; h++) {
      seen += sums[h];
      if (squares[h] == 0 && answered[h] > 0) {
        squares[h] = sums[h] / answered[h];
      }
    }
    Estimate count = around(total, off(squares)).atLeast(seen);
    return allOfPartlyAsked(sums, 0) ? count : count.openAbove();
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
    if (whole) {
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
    return allOfPartlyAsked(sums(having), 1) && allOfPartlyAsked(squares, 0)
        ? around(ratio, off(squares) / count)
        : Estimate.unbounded(ratio);
  }

  private static Estimate around(double value, double off) {
    return new Estimate(value, value - off, value + off);
  }

  /** Whether each index of which some shards did not answer has more than this. */
  private boolean allOfPartlyAsked(double[] byIndex, double than) {
    for (int h = 0; h < shards.length; h++) {
      if (answered[h] < shards[h] && byIndex[h] <= than) {
        return false;
      }
    }
    return true;
  }

  /** How far off a total may be where shards of each index differ so; NaN where not known. */
  private double off(double[] squares) {
    if (!bounded) {
      return Double.NaN;
    }
    double[] g = new double[shards.length];
    double variance = 0;
    for (int h = 0; h < shards.length; h++) {
      if (answered[h] < shards[h]) {
        g[h] = squares[h] * shards[h] * (shards[h] - answered[h]) / answered[h];
        variance += g[h];
      }
    }
    if (variance == 0) {
      return 0;
    }
    double weighed = 0;
    for (int h = 0; h < shards.length; h++) {
      if (answered[h] < shards[h]) {
        double part = g[h] / variance; // not g^2, which numbers may be too large for
        weighed += part * part / (answered[h] - 1);
      }
    }
    double off = quantiles.quantile(1 / weighed) * Math.sqrt(variance);
    return Double.isFinite(off) ? off : Double.NaN;
  }

  /** What the shards of each index have together, of those that answered. */
  private double[] sums(double[] values) {
    double[] sums = new double[shards.length];
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
    double[] squares = new double[shards.length];
    for (int i = 0; i < stratumOf.length; i++) {
      int h = stratumOf[i];
      double off = values[i] - sums[h] / answered[h];
      if (Math.abs(off) > ROUNDING * Math.abs(sizes[i])) {
        squares[h] += off * off;
      }
    }
    for (int h = 0; h < shards.length; h++) {
      squares[h] = answered[h] > 1 ? squares[h] / (answered[h] - 1) : 0;
    }
    return squares;
  }
}
