package dev.weir.responses.sampling;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.metrics.AverageInternals;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.aggregations.metrics.InternalMax;
import org.opensearch.search.aggregations.metrics.InternalMin;
import org.opensearch.search.aggregations.metrics.InternalStats;
import org.opensearch.search.aggregations.metrics.InternalSum;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentiles;
import org.opensearch.search.aggregations.metrics.InternalValueCount;

/** Estimates metrics. The estimates write their bounds after their value. */
final class MetricEstimator {
  private MetricEstimator() {}

  /**
   * Estimates a metric.
   *
   * @param like a metric of the same kind
   * @param results the shards' results; a missing shard has no value
   * @param bounded false if a shard's result may be incomplete, so that bounds are unknown
   * @throws IllegalArgumentException for an unsupported kind
   */
  static InternalAggregation estimate(
      InternalAggregation like,
      List<ShardMetric> results,
      StratifiedEstimator estimator,
      boolean bounded) {
    double[] values = new double[estimator.sampledShards()];
    return switch (like) {
      case InternalSum sum -> {
        for (ShardMetric each : results) {
          values[each.shardIndex()] = ((InternalSum) each.metric()).getValue();
        }
        yield new Sum(sum, estimator.total(values).withBoundsIf(bounded));
      }
      case InternalValueCount count -> {
        for (ShardMetric each : results) {
          values[each.shardIndex()] = ((InternalValueCount) each.metric()).getValue();
        }
        yield new Count(count, estimator.count(values).withBoundsIf(bounded));
      }
      case InternalAvg average -> {
        double[] counts = new double[values.length];
        for (ShardMetric each : results) {
          InternalAvg one = (InternalAvg) each.metric();
          values[each.shardIndex()] = AverageInternals.sum(one);
          counts[each.shardIndex()] = AverageInternals.count(one);
        }
        yield new Average(average, estimator.ratio(values, counts).withBoundsIf(bounded));
      }
      case InternalMin minimum -> {
        double seen = Double.POSITIVE_INFINITY;
        for (ShardMetric each : results) {
          seen = Math.min(seen, ((InternalMin) each.metric()).getValue());
        }
        yield ExtremeEstimator.createMin(
            minimum, ExtremeEstimator.minimum(seen, bounded && estimator.isComplete()));
      }
      case InternalMax maximum -> {
        double seen = Double.NEGATIVE_INFINITY;
        for (ShardMetric each : results) {
          seen = Math.max(seen, ((InternalMax) each.metric()).getValue());
        }
        yield ExtremeEstimator.createMax(
            maximum, ExtremeEstimator.maximum(seen, bounded && estimator.isComplete()));
      }
      case InternalStats stats -> StatsEstimator.estimate(stats, results, estimator, bounded);
      case InternalTDigestPercentiles percentiles ->
          PercentilesEstimator.estimate(percentiles, results, estimator, bounded);
      default ->
          throw new IllegalArgumentException(
              "got ["
                  + like.getName()
                  + "] ("
                  + like.getType()
                  + ") from shards (expected: avg, sum, value_count, min, max, stats or percentiles"
                  + " in a sample)");
    };
  }

  private static XContentBuilder write(
      XContentBuilder builder, Map<String, @Nullable Object> bounds) throws IOException {
    return builder.field(DocCountBounds.BOUNDS, bounds);
  }

  private static final class Sum extends InternalSum {
    private final Estimate estimate;

    Sum(InternalSum like, Estimate estimate) {
      super(like.getName(), estimate.value(), like.getFormat(), like.getMetadata());
      this.estimate = estimate;
    }

    @Override
    public XContentBuilder doXContentBody(XContentBuilder builder, Params params)
        throws IOException {
      return write(super.doXContentBody(builder, params), DocCountBounds.valueBounds(estimate));
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Sum one && super.equals(other) && one.estimate.equals(estimate);
    }

    @Override
    public int hashCode() {
      return 31 * super.hashCode() + estimate.hashCode();
    }
  }

  /** A count of values. */
  private static final class Count extends InternalValueCount {
    private final Estimate estimate;

    Count(InternalValueCount like, Estimate estimate) {
      super(like.getName(), estimate.roundedValue(), like.getMetadata());
      this.estimate = estimate;
    }

    @Override
    public XContentBuilder doXContentBody(XContentBuilder builder, Params params)
        throws IOException {
      return write(super.doXContentBody(builder, params), DocCountBounds.countBounds(estimate));
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Count one && super.equals(other) && one.estimate.equals(estimate);
    }

    @Override
    public int hashCode() {
      return 31 * super.hashCode() + estimate.hashCode();
    }
  }

  /** An average; OpenSearch's class sees the average of one value, or of none. */
  private static final class Average extends InternalAvg {
    private final Estimate estimate;

    Average(InternalAvg like, Estimate estimate) {
      super(
          like.getName(),
          estimate.value(),
          Double.isNaN(estimate.value()) ? 0 : 1,
          like.getFormat(),
          like.getMetadata());
      this.estimate = estimate;
    }

    @Override
    public XContentBuilder doXContentBody(XContentBuilder builder, Params params)
        throws IOException {
      return write(super.doXContentBody(builder, params), DocCountBounds.valueBounds(estimate));
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Average one && super.equals(other) && one.estimate.equals(estimate);
    }

    @Override
    public int hashCode() {
      return 31 * super.hashCode() + estimate.hashCode();
    }
  }
}
