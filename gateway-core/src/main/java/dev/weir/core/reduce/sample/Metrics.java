package dev.weir.core.reduce.sample;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.metrics.AverageParts;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.aggregations.metrics.InternalSum;
import org.opensearch.search.aggregations.metrics.InternalValueCount;

/** Estimates metrics, which write their bounds behind their value. */
final class Metrics {
  private static final String BOUNDS = "bounds";

  private Metrics() {}

  /** What a shard told of a metric. */
  record Told(int place, InternalAggregation metric) {}

  /**
   * The estimate of a metric.
   *
   * @param like one of its kind
   * @param told what shards told of it; others have nothing of it
   * @param bounded whether bounds can be told: not where some shards may not have told all
   * @throws IllegalArgumentException for another kind
   */
  static InternalAggregation of(
      InternalAggregation like, List<Told> told, Estimator estimator, boolean bounded) {
    double[] values = new double[estimator.answered()];
    return switch (like) {
      case InternalSum sum -> {
        for (Told each : told) {
          values[each.place] = ((InternalSum) each.metric).getValue();
        }
        yield new Sum(sum, kept(estimator.total(values), bounded));
      }
      case InternalValueCount count -> {
        for (Told each : told) {
          values[each.place] = ((InternalValueCount) each.metric).getValue();
        }
        yield new Count(count, kept(estimator.count(values), bounded));
      }
      case InternalAvg average -> {
        double[] counts = new double[values.length];
        for (Told each : told) {
          InternalAvg one = (InternalAvg) each.metric;
          values[each.place] = AverageParts.sum(one);
          counts[each.place] = AverageParts.count(one);
        }
        yield new Average(average, kept(estimator.ratio(values, counts), bounded));
      }
      default ->
          throw new IllegalArgumentException(
              "got ["
                  + like.getName()
                  + "] ("
                  + like.getType()
                  + ") from shards (expected: avg, sum or value_count in a sample)");
    };
  }

  private static Estimate kept(Estimate estimate, boolean bounded) {
    return bounded ? estimate : Estimate.unbounded(estimate.value());
  }

  private static XContentBuilder write(
      XContentBuilder builder, Map<String, @Nullable Object> bounds) throws IOException {
    return builder.field(BOUNDS, bounds);
  }

  /** A sum. */
  private static final class Sum extends InternalSum {
    private final Estimate estimate;

    Sum(InternalSum like, Estimate estimate) {
      super(like.getName(), estimate.value(), like.getFormat(), like.getMetadata());
      this.estimate = estimate;
    }

    @Override
    public XContentBuilder doXContentBody(XContentBuilder builder, Params params)
        throws IOException {
      return write(super.doXContentBody(builder, params), CountBounds.ofValue(estimate));
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
      super(like.getName(), estimate.rounded(), like.getMetadata());
      this.estimate = estimate;
    }

    @Override
    public XContentBuilder doXContentBody(XContentBuilder builder, Params params)
        throws IOException {
      return write(super.doXContentBody(builder, params), CountBounds.ofCount(estimate));
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

  /** An average: of one value, or none, for OpenSearch's class. */
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
      return write(super.doXContentBody(builder, params), CountBounds.ofValue(estimate));
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
