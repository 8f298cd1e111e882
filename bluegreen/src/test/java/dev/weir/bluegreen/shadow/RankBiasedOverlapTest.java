package dev.weir.bluegreen.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RankBiasedOverlapTest {
  private static final double P = 0.9;

  @Test
  void returnOneForEqualLists() {
    assertThat(RankBiasedOverlap.extrapolate(List.of(), List.of(), P)).isEqualTo(1);
    assertThat(RankBiasedOverlap.extrapolate(List.of("a"), List.of("a"), P)).isEqualTo(1);
    List<String> many = names(1000, 0);
    assertThat(RankBiasedOverlap.extrapolate(many, many, P)).isCloseTo(1, within(1e-12));
  }

  @Test
  void returnZeroWithoutACommonElement() {
    assertThat(RankBiasedOverlap.extrapolate(List.of(), List.of("a"), P)).isZero();
    assertThat(RankBiasedOverlap.extrapolate(names(7, 0), names(9, 100), P)).isZero();
  }

  /** By hand: A_1 = 0, A_2 = A_3 = 1, so (0.1/0.9)(0 + 0.81 + 0.729) + 0.729. */
  @Test
  void weighsTheFirstRanksMost() {
    double first = RankBiasedOverlap.extrapolate(List.of("a", "b", "c"), List.of("b", "a", "c"), P);
    double last = RankBiasedOverlap.extrapolate(List.of("a", "b", "c"), List.of("a", "c", "b"), P);
    assertThat(first).isCloseTo(0.9, within(1e-12));
    assertThat(last).isCloseTo(0.955, within(1e-12)).isGreaterThan(first);
  }

  @Test
  void equalsTheFormulaOfThePaper() {
    Random random = new Random(20260901);
    for (int round = 0; round < 5000; round++) {
      List<String> all = names(1 + random.nextInt(30), 0);
      List<String> one = some(all, random);
      List<String> other = some(all, random);
      double p = 0.05 + 0.9 * random.nextDouble();
      assertThat(RankBiasedOverlap.extrapolate(one, other, p))
          .as("%s %s p=%s", one, other, p)
          .isCloseTo(naive(one, other, p), within(1e-9));
      assertThat(RankBiasedOverlap.extrapolate(other, one, p))
          .as("it does not matter which is which")
          .isCloseTo(RankBiasedOverlap.extrapolate(one, other, p), within(1e-12));
    }
  }

  /** Computes equation 32 term by term, recounting overlaps at each depth. */
  private static double naive(List<String> one, List<String> other, double p) {
    List<String> shorter = one.size() <= other.size() ? one : other;
    List<String> longer = one.size() <= other.size() ? other : one;
    int s = shorter.size();
    int l = longer.size();
    if (s == 0) {
      return l == 0 ? 1 : 0;
    }
    double first = 0;
    for (int d = 1; d <= l; d++) {
      first += (double) overlap(shorter, longer, d) / d * Math.pow(p, d);
    }
    double second = 0;
    double atS = overlap(shorter, longer, s);
    for (int d = s + 1; d <= l; d++) {
      second += atS * (d - s) / ((double) s * d) * Math.pow(p, d);
    }
    double atL = overlap(shorter, longer, l);
    return (1 - p) / p * (first + second) + ((atL - atS) / l + atS / s) * Math.pow(p, l);
  }

  private static int overlap(List<String> shorter, List<String> longer, int depth) {
    Set<String> common = new HashSet<>(shorter.subList(0, Math.min(depth, shorter.size())));
    common.retainAll(new HashSet<>(longer.subList(0, depth)));
    return common.size();
  }

  private static List<String> names(int count, int from) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add("d" + (from + i));
    }
    return names;
  }

  private static List<String> some(List<String> all, Random random) {
    List<String> shuffled = new ArrayList<>(all);
    Collections.shuffle(shuffled, random);
    return shuffled.subList(0, random.nextInt(all.size() + 1));
  }
}
