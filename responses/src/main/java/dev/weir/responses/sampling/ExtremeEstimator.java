package dev.weir.responses.sampling;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.metrics.InternalMax;
import org.opensearch.search.aggregations.metrics.InternalMin;

/**
 * Writes the smallest or the largest value of a sample. Nothing says how much more extreme the
 * other values are, so the value is a bound of the true one on one side, for certain, and the other
 * bound is unknown.
 */
final class ExtremeEstimator {
  private ExtremeEstimator() {}

  /** Returns the smallest value of a sample, as an upper bound; infinite without a value. */
  static Estimate minimum(double seen, boolean isExact) {
    return isExact ? Estimate.exact(seen) : new Estimate(seen, Double.NaN, seen);
  }

  /** Returns the largest value of a sample, as a lower bound; infinite without a value. */
  static Estimate maximum(double seen, boolean isExact) {
    return isExact ? Estimate.exact(seen) : new Estimate(seen, seen, Double.NaN);
  }

  /** Creates an aggregation with bounds. */
  static InternalAggregation createMin(InternalMin like, Estimate estimate) {
    return new Min(like, estimate);
  }

  /** Creates an aggregation with bounds. */
  static InternalAggregation createMax(InternalMax like, Estimate estimate) {
    return new Max(like, estimate);
  }

  private static final class Min extends InternalMin {
    private final Estimate estimate;

    Min(InternalMin like, Estimate estimate) {
      super(like.getName(), estimate.value(), like.getFormat(), like.getMetadata());
      this.estimate = estimate;
    }

    @Override
    public XContentBuilder doXContentBody(XContentBuilder builder, Params params)
        throws IOException {
      return DocCountBounds.writeBounds(super.doXContentBody(builder, params), estimate);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Min one && super.equals(other) && one.estimate.equals(estimate);
    }

    @Override
    public int hashCode() {
      return 31 * super.hashCode() + estimate.hashCode();
    }
  }

  private static final class Max extends InternalMax {
    private final Estimate estimate;

    Max(InternalMax like, Estimate estimate) {
      super(like.getName(), estimate.value(), like.getFormat(), like.getMetadata());
      this.estimate = estimate;
    }

    @Override
    public XContentBuilder doXContentBody(XContentBuilder builder, Params params)
        throws IOException {
      return DocCountBounds.writeBounds(super.doXContentBody(builder, params), estimate);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Max one && super.equals(other) && one.estimate.equals(estimate);
    }

    @Override
    public int hashCode() {
      return 31 * super.hashCode() + estimate.hashCode();
    }
  }
}
