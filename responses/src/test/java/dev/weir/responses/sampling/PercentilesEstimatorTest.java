package dev.weir.responses.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentiles;
import org.opensearch.search.aggregations.metrics.TDigestState;

class PercentilesEstimatorTest {
  private static final int SHARDS = 40;

  private static InternalTDigestPercentiles percentiles(double... values) {
    TDigestState state = new TDigestState(100);
    Arrays.stream(values).forEach(state::add);
    return new InternalTDigestPercentiles(
        "p", new double[] {50, 90}, state, true, DocValueFormat.RAW, Map.of());
  }

  private static Map<String, Object> estimate(
      StratifiedEstimator estimator, List<ShardMetric> results) {
    InternalAggregation estimate =
        PercentilesEstimator.estimate(percentiles(), results, estimator, true);
    try (XContentBuilder builder = XContentBuilder.builder(JsonXContent.jsonXContent)) {
      builder.startObject();
      estimate.toXContent(builder, ToXContent.EMPTY_PARAMS);
      builder.endObject();
      return map(
          XContentHelper.convertToMap(JsonXContent.jsonXContent, builder.toString(), true)
              .get("p"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(@Nullable Object value) {
    return (Map<String, Object>) Objects.requireNonNull(value);
  }

  private static double number(@Nullable Object value) {
    return ((Number) Objects.requireNonNull(value)).doubleValue();
  }

  private static StratifiedEstimator estimator(List<Integer> strata, int... stratumOf) {
    return new StratifiedEstimator(strata, stratumOf, 0.95, true);
  }

  /** Shards differ, as if their documents had been distributed by a routing value. */
  @Test
  void boundsCoverTheTruthAsOftenAsTheConfidenceLevel() {
    Random random = new Random(2);
    List<double[]> shards = new ArrayList<>();
    for (int shard = 0; shard < SHARDS; shard++) {
      double middle = 100 + 40 * random.nextGaussian();
      double[] values = new double[200];
      Arrays.setAll(values, i -> middle + 20 * random.nextGaussian());
      shards.add(values);
    }
    double[] all = shards.stream().flatMapToDouble(Arrays::stream).sorted().toArray();
    int held = 0;
    int seeds = 300;
    for (int seed = 0; seed < seeds; seed++) {
      List<Integer> drawn = ShardSampler.sample(Collections.nCopies(SHARDS, "docs"), 10, 3, seed);
      List<ShardMetric> results = new ArrayList<>();
      for (int shard : drawn) {
        results.add(new ShardMetric(results.size(), percentiles(shards.get(shard))));
      }
      Map<String, Object> median =
          map(
              map(estimate(estimator(List.of(SHARDS), new int[10]), results).get("bounds"))
                  .get("50.0"));
      double truth = all[all.length / 2];
      held += number(median.get("lower")) <= truth && truth <= number(median.get("upper")) ? 1 : 0;
    }
    assertThat(held / (double) seeds).isBetween(0.89, 0.99);
  }

  @Test
  void weighsTheShardsOfDifferentlySampledIndices() {
    List<ShardMetric> results =
        List.of(
            new ShardMetric(0, percentiles(1, 2, 3, 4)),
            new ShardMetric(1, percentiles(1, 2, 3, 4)),
            new ShardMetric(2, percentiles(101, 102, 103, 104)));
    Map<String, Object> values =
        map(estimate(estimator(List.of(20, 1), 0, 0, 1), results).get("values"));
    assertThat(number(values.get("50.0"))).isBetween(2.0, 3.0);
    Map<String, Object> even =
        map(estimate(estimator(List.of(2, 1), 0, 0, 1), results).get("values"));
    assertThat(number(even.get("90.0"))).isCloseTo(103, within(1.5));
  }

  /** Shards of one weight are merged, which may not move a percentile by more than their errors. */
  @Test
  void weighsMergedShardsAsEachByItself() {
    Random random = new Random(3);
    int[] stratumOf = new int[12];
    List<double[]> shards = new ArrayList<>();
    List<ShardMetric> results = new ArrayList<>();
    for (int shard = 0; shard < stratumOf.length; shard++) {
      int stratum = shard % 3;
      stratumOf[shard] = stratum;
      double[] values = new double[500];
      Arrays.setAll(values, i -> 100 * stratum + 20 * random.nextGaussian());
      shards.add(values);
      results.add(new ShardMetric(shard, percentiles(values)));
    }
    StratifiedEstimator estimator = estimator(List.of(20, 8, 4), stratumOf);
    Map<String, Object> values = map(estimate(estimator, results).get("values"));

    for (double percent : new double[] {50, 90}) {
      double value = number(values.get(String.valueOf(percent)));
      double below = 0;
      double all = 0;
      for (int shard = 0; shard < stratumOf.length; shard++) {
        double weight = estimator.weight(shard);
        below += weight * Arrays.stream(shards.get(shard)).filter(each -> each <= value).count();
        all += weight * shards.get(shard).length;
      }
      assertThat(100 * below / all).isCloseTo(percent, within(1.0));
    }
  }

  @Test
  void knowsNoBoundsBeyondTheRanksOfTheSample() {
    List<ShardMetric> results =
        List.of(
            new ShardMetric(0, percentiles(1, 2, 3)), new ShardMetric(1, percentiles(90, 95, 99)));
    Map<String, Object> bounds = map(estimate(estimator(List.of(30), 0, 0), results).get("bounds"));
    assertThat(map(bounds.get("90.0"))).containsEntry("upper", null);
    assertThat(map(estimate(estimator(List.of(30), 0, 0), List.of()).get("values")))
        .containsEntry("50.0", null);
  }
}
