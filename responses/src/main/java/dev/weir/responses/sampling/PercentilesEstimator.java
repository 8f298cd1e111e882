package dev.weir.responses.sampling;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentiles;
import org.opensearch.search.aggregations.metrics.TDigestState;

/**
 * Estimates percentiles from the digests of a sample. The bounds are those of Woodruff: the share
 * of the values up to the estimated percentile is a ratio of two totals, whose interval in ranks, q
 * - d to q + d, the digests translate back into values. A digest is itself an approximation; the
 * bounds do not include its error.
 *
 * <p>Source: R. S. Woodruff, Confidence intervals for medians and other position measures, JASA 47
 * (1952).
 */
final class PercentilesEstimator {
  private static final double PERCENT = 100;

  /** Halvings of the range of values in the search for a percentile. */
  private static final int STEPS = 60;

  private final StratifiedEstimator estimator;
  private final List<ShardMetric> results;
  private final double[] sizes;
  private final List<WeightedDigest> digests = new ArrayList<>();
  private final double weightedSize;

  /**
   * The values of all shards that stand for equally many shards, such as those of one index.
   *
   * @param weight the number of shards that each of them stands for
   */
  private record WeightedDigest(double weight, TDigestState values) {}

  private PercentilesEstimator(
      InternalTDigestPercentiles like, List<ShardMetric> results, StratifiedEstimator estimator) {
    this.estimator = estimator;
    this.results = new ArrayList<>();
    this.sizes = new double[estimator.sampledShards()];
    Map<Double, TDigestState> byWeight = new LinkedHashMap<>();
    double all = 0;
    for (ShardMetric each : results) {
      TDigestState digest = digest(each);
      if (digest.size() > 0) {
        this.results.add(each);
        sizes[each.shardIndex()] = digest.size();
        double weight = estimator.weight(each.shardIndex());
        all += weight * digest.size();
        byWeight
            .computeIfAbsent(weight, _ -> new TDigestState(like.getState().compression()))
            .add(digest);
      }
    }
    this.weightedSize = all;
    byWeight.forEach((weight, values) -> digests.add(new WeightedDigest(weight, values)));
  }

  /**
   * Estimates percentiles.
   *
   * @param bounded false if a result may be incomplete, so that bounds are unknown
   */
  static InternalAggregation estimate(
      InternalTDigestPercentiles like,
      List<ShardMetric> results,
      StratifiedEstimator estimator,
      boolean bounded) {
    PercentilesEstimator values = new PercentilesEstimator(like, results, estimator);
    double[] keys = like.getKeys();
    List<Estimate> estimates = new ArrayList<>(keys.length);
    for (double key : keys) {
      estimates.add(values.estimate(key / PERCENT).withBoundsIf(bounded));
    }
    return new Percentiles(like, keys, estimates, !values.results.isEmpty());
  }

  private static TDigestState digest(ShardMetric result) {
    return ((InternalTDigestPercentiles) result.metric()).getState();
  }

  private Estimate estimate(double rank) {
    if (results.isEmpty()) {
      return Estimate.unbounded(Double.NaN);
    }
    double value = quantile(rank);
    if (estimator.isComplete()) {
      return Estimate.exact(value);
    }
    double[] below = new double[sizes.length];
    for (ShardMetric each : results) {
      below[each.shardIndex()] = sizes[each.shardIndex()] * digest(each).cdf(value);
    }
    Estimate share = estimator.ratio(below, sizes);
    double margin = (share.upper() - share.lower()) / 2;
    // ranks beyond those of the sample: the other documents may have any values there
    return new Estimate(
        value,
        rank - margin >= 0 ? quantile(rank - margin) : Double.NaN,
        rank + margin <= 1 ? quantile(rank + margin) : Double.NaN);
  }

  private double quantile(double rank) {
    if (digests.size() == 1) {
      return digests.getFirst().values().quantile(rank);
    }
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    for (WeightedDigest each : digests) {
      low = Math.min(low, each.values().getMin());
      high = Math.max(high, each.values().getMax());
    }
    for (int step = 0; step < STEPS && Math.nextUp(low) < high; step++) {
      double middle = low + (high - low) / 2;
      if (weightedShare(middle) < rank) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  /** Returns the share of all values up to a value, by the weights of the shards. */
  private double weightedShare(double value) {
    double below = 0;
    for (WeightedDigest each : digests) {
      below += each.weight() * each.values().size() * each.values().cdf(value);
    }
    return below / weightedSize;
  }

  private static final class Percentiles extends InternalTDigestPercentiles {
    private final double[] percents;
    private final List<Estimate> estimates;

    Percentiles(
        InternalTDigestPercentiles like,
        double[] keys,
        List<Estimate> estimates,
        boolean hasValues) {
      super(
          like.getName(),
          keys,
          state(hasValues),
          like.keyed(),
          like.formatter(),
          like.getMetadata());
      this.percents = keys;
      this.estimates = estimates;
    }

    /** OpenSearch's class looks only at whether it has values. */
    private static TDigestState state(boolean hasValues) {
      TDigestState state = new TDigestState(PERCENT);
      if (hasValues) {
        state.add(0);
      }
      return state;
    }

    @Override
    public double percentile(double percent) {
      for (int i = 0; i < percents.length; i++) {
        if (percents[i] == percent) {
          return estimates.get(i).value();
        }
      }
      return Double.NaN;
    }

    @Override
    public double value(double key) {
      return percentile(key);
    }

    @Override
    public XContentBuilder doXContentBody(XContentBuilder builder, Params params)
        throws IOException {
      super.doXContentBody(builder, params);
      builder.startObject(DocCountBounds.BOUNDS);
      for (int i = 0; i < percents.length; i++) {
        builder.field(String.valueOf(percents[i]), DocCountBounds.valueBounds(estimates.get(i)));
      }
      return builder.endObject();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Percentiles one
          && super.equals(other)
          && one.estimates.equals(estimates);
    }

    @Override
    public int hashCode() {
      return 31 * super.hashCode() + estimates.hashCode();
    }
  }
}
