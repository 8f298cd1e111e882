package dev.weir.bluegreen.shadow;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Measures the similarity of two rankings whose beginnings are known: rank-biased overlap by W.
 * Webber, A. Moffat and J. Zobel, "A similarity measure for indefinite rankings" (ACM TOIS 28/4,
 * 2010), extrapolated from the visible ranks.
 *
 * <pre>
 *   s, l   lengths of the shorter and the longer list        X_d   elements that both have down to d
 *
 *             1-p  /  l   X_d          l    X_s (d-s)       \    / X_l - X_s   X_s \
 *   RBO_ext = ---  ( sum  --- p^d  +  sum   --------- p^d    ) + ( --------- + ---  ) p^l
 *              p   \ d=1   d         d=s+1     s d          /    \     l        s  /
 * </pre>
 *
 * 1 for equal lists, 0 for lists without a common element. With p = 0.9 the first ten ranks have 86
 * percent of the weight.
 */
final class RankBiasedOverlap {
  /** The weight of a rank relative to the one before. */
  static final double PERSISTENCE = 0.9;

  private RankBiasedOverlap() {}

  /**
   * Computes the overlap of two lists.
   *
   * @param one without duplicates
   * @param other without duplicates
   * @param p above 0, below 1
   */
  static double extrapolate(List<String> one, List<String> other, double p) {
    boolean inOrder = one.size() <= other.size();
    List<String> shorter = inOrder ? one : other;
    List<String> longer = inOrder ? other : one;
    int s = shorter.size();
    int l = longer.size();
    if (s == 0) {
      return l == 0 ? 1 : 0;
    }
    Set<String> inShorter = HashSet.newHashSet(s);
    Set<String> inLonger = HashSet.newHashSet(l);
    int common = 0;
    int commonAtS = 0;
    double weight = 1;
    double sum = 0;
    for (int d = 1; d <= l; d++) {
      weight *= p;
      String next = longer.get(d - 1);
      inLonger.add(next);
      common += inShorter.contains(next) ? 1 : 0;
      if (d <= s) {
        String beside = shorter.get(d - 1);
        inShorter.add(beside);
        common += inLonger.contains(beside) ? 1 : 0;
        commonAtS = common;
      }
      sum += (double) common / d * weight;
      if (d > s) {
        sum += (double) commonAtS * (d - s) / ((double) s * d) * weight;
      }
    }
    double beyond = (double) (common - commonAtS) / l + (double) commonAtS / s;
    return Math.clamp((1 - p) / p * sum + beyond * weight, 0, 1);
  }
}
