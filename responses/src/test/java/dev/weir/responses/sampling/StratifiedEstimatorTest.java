package dev.weir.responses.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

class StratifiedEstimatorTest {
  private static final int SEEDS = 2_000;

  private static StratifiedEstimator estimator(List<Integer> strata, int... stratumOf) {
    return new StratifiedEstimator(strata, stratumOf, 0.95, true);
  }

  @Test
  void scalesByTheShardsOfEachIndex() {
    StratifiedEstimator some = estimator(List.of(10, 4), 0, 0, 1, 1);
    assertThat(some.sum(new double[] {3, 5, 10, 20})).isEqualTo(10 * 4 + 4 * 15);
    assertThat(some.weight(0)).isEqualTo(5);
    assertThat(some.weight(3)).isEqualTo(2);
  }

  /** Computed by hand: mean 20, s^2 = 100, variance 10^2 (1 - 3/10) 100 / 3, t = 4.303. */
  @Test
  void boundsATotal() {
    Estimate total = estimator(List.of(10), 0, 0, 0).total(new double[] {10, 20, 30});
    double off = 4.3027 * Math.sqrt(100 * 0.7 * 100 / 3);
    assertThat(total.value()).isEqualTo(200);
    assertThat(total.lower()).isCloseTo(200 - off, within(0.05));
    assertThat(total.upper()).isCloseTo(200 + off, within(0.05));
  }

  /**
   * Computed by hand: ratio 5, residuals 1, 0, -1, s^2 = 1, total of counts 10 * 4, degrees of
   * freedom 2.
   */
  @Test
  void boundsARatio() {
    Estimate ratio =
        estimator(List.of(10), 0, 0, 0).ratio(new double[] {11, 20, 29}, new double[] {2, 4, 6});
    double off = 4.3027 * Math.sqrt(100 * 0.7 / 3) / 40;
    assertThat(ratio.value()).isCloseTo(5, within(1e-12));
    assertThat(ratio.upper() - ratio.value()).isCloseTo(off, within(0.001));
    assertThat(ratio.value() - ratio.lower()).isCloseTo(off, within(0.001));
  }

  /** Also if the square of a variance overflows or underflows. */
  @Test
  void boundsDoNotDependOnTheUnit() {
    double[] values = {10, 20, 30, 1, 2, 4};
    Estimate plain = estimator(List.of(10, 20), 0, 0, 0, 1, 1, 1).total(values);
    for (double unit : new double[] {0x1p-300, 0x1p300}) {
      double[] scaled = Arrays.stream(values).map(value -> value * unit).toArray();
      Estimate other = estimator(List.of(10, 20), 0, 0, 0, 1, 1, 1).total(scaled);
      assertThat(other.value()).isEqualTo(plain.value() * unit);
      assertThat(other.lower()).isEqualTo(plain.lower() * unit);
      assertThat(other.upper()).isEqualTo(plain.upper() * unit);
    }
  }

  @Test
  void answerExactlyFromAllShards() {
    StratifiedEstimator all = estimator(List.of(2, 1), 0, 0, 1);
    assertThat(all.count(new double[] {1, 5, 4})).isEqualTo(new Estimate(10, 10, 10));
    assertThat(all.count(new double[3])).isEqualTo(new Estimate(0, 0, 0));
    assertThat(all.total(new double[] {1, -5, 4})).isEqualTo(new Estimate(0, 0, 0));
  }

  @Test
  void ignoreFullySampledIndicesInTheBounds() {
    Estimate one = estimator(List.of(10), 0, 0, 0).total(new double[] {10, 20, 30});
    Estimate two = estimator(List.of(10, 1), 0, 0, 0, 1).total(new double[] {10, 20, 30, 7});
    assertThat(two.value()).isEqualTo(one.value() + 7);
    assertThat(two.upper() - two.lower()).isCloseTo(one.upper() - one.lower(), within(1e-9));
  }

  @Test
  void giveNoBoundsForASingleShardOfAnIndex() {
    for (StratifiedEstimator few :
        List.of(
            estimator(List.of(10), 0),
            estimator(List.of(10, 4), 0, 0, 1),
            estimator(List.of(10, 4), 0, 0),
            new StratifiedEstimator(List.of(2), new int[] {0, 0}, 0.95, false))) {
      Estimate total = few.total(new double[few.sampledShards()]);
      assertThat(total.lower()).isNaN();
      assertThat(total.upper()).isNaN();
      assertThat(few.ratio(ones(few), ones(few)).upper()).isNaN();
    }
  }

  private static double[] ones(StratifiedEstimator estimator) {
    double[] ones = new double[estimator.sampledShards()];
    Arrays.fill(ones, 1);
    return ones;
  }

  @Test
  void boundACountBelowByTheSampledCount() {
    Estimate count = estimator(List.of(30), 0, 0, 0).count(new double[] {0, 0, 90});
    assertThat(count.value()).isEqualTo(900);
    assertThat(count.lower()).isEqualTo(90);
    assertThat(count.upper()).isGreaterThan(2000);
  }

  @Test
  void giveNoBoundsForUnseenValues() {
    Estimate count = estimator(List.of(30), 0, 0, 0).count(new double[3]);
    assertThat(count.value()).isZero();
    assertThat(count.lower()).isZero();
    assertThat(count.upper()).isNaN();
  }

  @Test
  void widenTheBoundsForShardsThatHappenToBeEqual() {
    Estimate count = estimator(List.of(30), 0, 0, 0).count(new double[] {1, 1, 1});
    assertThat(count.lower()).isEqualTo(3);
    assertThat(count.upper()).isGreaterThan(60);
  }

  /** Ten times 0.1 is not exactly 1. */
  @Test
  void giveNoBoundsForAnyNumberOfEqualAverages() {
    for (int shards = 2; shards < 30; shards++) {
      for (int each : new int[] {1, 3, 7, 1_000_003}) {
        double[] alike = new double[shards];
        Arrays.fill(alike, each);
        Estimate count = estimator(List.of(30), new int[shards]).count(alike);
        // documents are distributed at random: s^2 = mean
        double deviation = Math.sqrt(30.0 * (30 - shards) / shards * each);
        assertThat(count.upper() - count.value()).isGreaterThan(1.9 * deviation);
        assertThat(count.lower()).isLessThan(30.0 * each);
      }
    }
  }

  @Test
  void giveNoBoundsOfAveragesForASingleShard() {
    StratifiedEstimator some = estimator(List.of(30), 0, 0, 0);
    unbounded(some.ratio(new double[] {0, 7, 0}, new double[] {0, 2, 0}), 3.5);
    Estimate two = some.ratio(new double[] {0, 7, 2}, new double[] {0, 2, 1});
    assertThat(two.lower()).isLessThan(two.value());
    assertThat(two.upper()).isGreaterThan(two.value());
    // one sampled shard of an index, although another index has more
    unbounded(
        estimator(List.of(30, 2), 0, 0, 0, 1, 1)
            .ratio(new double[] {0, 8, 0, 1, 3}, new double[] {0, 2, 0, 1, 1}),
        (10 * 8 + 4) / (10 * 2 + 2.0));
  }

  @Test
  void giveNoBoundsForEqualAverages() {
    // 0.1 times a count is rounded differently
    unbounded(
        estimator(List.of(30), 0, 0, 0)
            .ratio(new double[] {0.1 * 3, 0.1 * 7, 0.1 * 11}, new double[] {3, 7, 11}),
        0.1);
  }

  @Test
  void giveNoBoundsForEqualSums() {
    StratifiedEstimator some = estimator(List.of(30), new int[10]);
    double[] alike = new double[10];
    unbounded(some.total(alike), 0);
    Arrays.fill(alike, 0.1);
    unbounded(some.total(alike), 3);
    Arrays.fill(alike, -5);
    unbounded(some.total(alike), -150);
  }

  @Test
  void giveNoBoundsForAnUnsampledIndex() {
    StratifiedEstimator both = estimator(List.of(30, 2), 0, 0, 0, 1, 1);
    double[] values = {0, 0, 0, 10, 7};
    Estimate count = both.count(values);
    assertThat(count.value()).isEqualTo(17);
    assertThat(count.lower()).isEqualTo(17);
    assertThat(count.upper()).isNaN();
    unbounded(both.total(values), 17);
    unbounded(both.ratio(values, new double[] {0, 0, 0, 1, 1}), 8.5);
    // nor does another index with different shards help
    StratifiedEstimator parts = estimator(List.of(30, 10), 0, 0, 0, 1, 1, 1);
    double[] differing = {0, 0, 0, 100, 110, 120};
    Estimate more = parts.count(differing);
    double off = 4.3027 * Math.sqrt(10 * 7 * 100 / 3.0);
    assertThat(more.lower()).isCloseTo(1100 - off, within(0.05));
    assertThat(more.upper()).isNaN();
    unbounded(parts.total(differing), 1100);
  }

  private static void unbounded(Estimate estimate, double value) {
    assertThat(estimate.value()).isCloseTo(value, within(1e-9));
    assertThat(estimate.lower()).isNaN();
    assertThat(estimate.upper()).isNaN();
  }

  /** Documents are distributed by hash, so that shards differ only by chance. */
  @Test
  void boundsOfCountsHoldAsOftenAsTheySay() {
    Random random = new Random(1);
    double[] shards = new double[30];
    for (int document = 0; document < 30_000; document++) {
      shards[random.nextInt(shards.length)]++;
    }
    assertThat(coverage(List.of(30), 3, shards, StratifiedEstimator::count)).isBetween(0.93, 0.97);
    assertThat(coverage(List.of(30), 10, shards, StratifiedEstimator::count)).isBetween(0.93, 0.97);
  }

  /** A time series: a new index is larger, and the one before it has values of another kind. */
  @Test
  void boundsHoldOverIndicesThatDiffer() {
    Random random = new Random(2);
    List<Integer> strata = List.of(10, 20, 40, 5);
    double[] shards = new double[75];
    int place = 0;
    for (int h = 0; h < strata.size(); h++) {
      for (int i = 0; i < strata.get(h); i++) {
        shards[place++] = Math.pow(10, h) * (100 + 10 * random.nextGaussian());
      }
    }
    assertThat(coverage(strata, 20, shards, StratifiedEstimator::total)).isBetween(0.92, 0.98);
  }

  /** Averages are ratios of two estimates. */
  @Test
  void boundsOfAveragesHold() {
    Random random = new Random(3);
    double[] counts = new double[30];
    double[] sums = new double[30];
    for (int document = 0; document < 3_000; document++) {
      int shard = random.nextInt(counts.length);
      counts[shard]++;
      sums[shard] += Math.exp(random.nextGaussian());
    }
    double truth = sum(sums) / sum(counts);
    int held = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      List<Integer> drawn = ShardSampler.sample(Collections.nCopies(30, "a"), 6, 2, seed);
      Estimate ratio = estimator(List.of(30), new int[6]).ratio(of(sums, drawn), of(counts, drawn));
      held += ratio.lower() <= truth && truth <= ratio.upper() ? 1 : 0;
    }
    assertThat((double) held / SEEDS).isBetween(0.92, 0.98);
  }

  private static double coverage(
      List<Integer> strata,
      int wanted,
      double[] shards,
      BiFunction<StratifiedEstimator, double[], Estimate> estimate) {
    List<String> indices = new ArrayList<>();
    List<Integer> stratumOf = new ArrayList<>();
    for (int h = 0; h < strata.size(); h++) {
      indices.addAll(Collections.nCopies(strata.get(h), "index-" + h));
      stratumOf.addAll(Collections.nCopies(strata.get(h), h));
    }
    double truth = sum(shards);
    int held = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      List<Integer> drawn = ShardSampler.sample(indices, wanted, 3, seed);
      StratifiedEstimator estimator =
          new StratifiedEstimator(
              strata, drawn.stream().mapToInt(stratumOf::get).toArray(), 0.95, true);
      Estimate one = estimate.apply(estimator, of(shards, drawn));
      held += one.lower() <= truth && truth <= one.upper() ? 1 : 0;
    }
    return (double) held / SEEDS;
  }

  private static double[] of(double[] shards, List<Integer> drawn) {
    return drawn.stream().mapToDouble(place -> shards[place]).toArray();
  }

  private static double sum(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum;
  }
}
