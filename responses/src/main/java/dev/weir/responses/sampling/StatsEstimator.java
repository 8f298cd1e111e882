package dev.weir.responses.sampling;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.metrics.InternalStats;

/** Estimates {@code stats}: each of its figures as the metric of the same name. */
final class StatsEstimator {
  private StatsEstimator() {}

  /** The figures with their bounds. */
  private record Figures(
      Estimate count, Estimate min, Estimate max, Estimate average, Estimate sum) {}

  /**
   * Estimates the figures.
   *
   * @param bounded false if a result may be incomplete, so that bounds of sums are unknown
   */
  static InternalAggregation estimate(
      InternalStats like,
      List<ShardMetric> results,
      StratifiedEstimator estimator,
      boolean bounded) {
    double[] sums = new double[estimator.sampledShards()];
    double[] counts = new double[sums.length];
    double min = Double.POSITIVE_INFINITY;
    double max = Double.NEGATIVE_INFINITY;
    for (ShardMetric each : results) {
      InternalStats own = (InternalStats) each.metric();
      sums[each.shardIndex()] = own.getSum();
      counts[each.shardIndex()] = own.getCount();
      min = Math.min(min, own.getMin());
      max = Math.max(max, own.getMax());
    }
    boolean isExact = bounded && estimator.isComplete();
    return new Stats(
        like,
        new Figures(
            estimator.count(counts).withBoundsIf(bounded),
            ExtremeEstimator.minimum(min, isExact),
            ExtremeEstimator.maximum(max, isExact),
            estimator.ratio(sums, counts).withBoundsIf(bounded),
            estimator.total(sums).withBoundsIf(bounded)));
  }

  private static final class Stats extends InternalStats {
    private final Figures figures;

    Stats(InternalStats like, Figures figures) {
      super(
          like.getName(),
          figures.count.roundedValue(),
          figures.sum.value(),
          figures.min.value(),
          figures.max.value(),
          like.getFormat(),
          like.getMetadata());
      this.figures = figures;
    }

    @Override
    public double getAvg() {
      return figures.average.value();
    }

    @Override
    public XContentBuilder doXContentBody(XContentBuilder builder, Params params)
        throws IOException {
      super.doXContentBody(builder, params);
      builder.startObject(DocCountBounds.BOUNDS);
      builder.field("count", DocCountBounds.countBounds(figures.count));
      builder.field("min", DocCountBounds.valueBounds(figures.min));
      builder.field("max", DocCountBounds.valueBounds(figures.max));
      builder.field("avg", DocCountBounds.valueBounds(figures.average));
      builder.field("sum", DocCountBounds.valueBounds(figures.sum));
      return builder.endObject();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Stats one && super.equals(other) && one.figures.equals(figures);
    }

    @Override
    public int hashCode() {
      return 31 * super.hashCode() + figures.hashCode();
    }
  }
}
