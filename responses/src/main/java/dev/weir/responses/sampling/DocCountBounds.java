package dev.weir.responses.sampling;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.rest.action.search.RestSearchAction;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.metrics.ScriptedMetricAggregationBuilder;

/**
 * The bounds of a bucket's {@code doc_count}, as an aggregation of the bucket: OpenSearch's bucket
 * classes write no other additional member. With {@code typed_keys}, the aggregation has a type
 * that clients parse as arbitrary JSON.
 */
final class DocCountBounds extends InternalAggregation {
  /** The name of the aggregation in a bucket. */
  static final String NAME = "doc_count_bounds";

  /** The member of a metric that has its bounds. */
  static final String BOUNDS = "bounds";

  private static final int SIGNIFICANT_DIGITS = 6;

  private final Estimate estimate;

  DocCountBounds(Estimate estimate) {
    super(NAME, null);
    this.estimate = estimate;
  }

  /** Writes the bounds of a metric's value. */
  static XContentBuilder writeBounds(XContentBuilder builder, Estimate estimate)
      throws IOException {
    return builder.field(BOUNDS, valueBounds(estimate));
  }

  /** Formats the bounds of a count. */
  static Map<String, @Nullable Object> countBounds(Estimate estimate) {
    Map<String, @Nullable Object> bounds = new LinkedHashMap<>();
    boolean lower = Double.isFinite(estimate.lower());
    boolean upper = Double.isFinite(estimate.upper());
    bounds.put("lower", lower ? (long) Math.floor(Math.max(0, estimate.lower())) : null);
    bounds.put("upper", upper ? (long) Math.ceil(estimate.upper()) : null);
    return bounds;
  }

  /** Formats the bounds of a value with significant digits only. */
  static Map<String, @Nullable Object> valueBounds(Estimate estimate) {
    Map<String, @Nullable Object> bounds = new LinkedHashMap<>();
    boolean apart = estimate.lower() < estimate.upper();
    bounds.put("lower", round(estimate.lower(), apart ? RoundingMode.FLOOR : null));
    bounds.put("upper", round(estimate.upper(), apart ? RoundingMode.CEILING : null));
    return bounds;
  }

  private static @Nullable Object round(double bound, @Nullable RoundingMode how) {
    if (!Double.isFinite(bound)) {
      return null;
    }
    return how == null
        ? bound
        : new BigDecimal(bound).round(new MathContext(SIGNIFICANT_DIGITS, how)).doubleValue();
  }

  @Override
  public XContentBuilder doXContentBody(XContentBuilder builder, Params params) throws IOException {
    Map<String, @Nullable Object> bounds = countBounds(estimate);
    if (params.paramAsBoolean(RestSearchAction.TYPED_KEYS_PARAM, false)) {
      return builder.field(CommonFields.VALUE.getPreferredName(), bounds);
    }
    for (Map.Entry<String, @Nullable Object> bound : bounds.entrySet()) {
      builder.field(bound.getKey(), bound.getValue());
    }
    return builder;
  }

  @Override
  public String getWriteableName() {
    return ScriptedMetricAggregationBuilder.NAME;
  }

  @Override
  protected void doWriteTo(StreamOutput out) {
    throw new UnsupportedOperationException("never sent to nodes");
  }

  @Override
  public InternalAggregation reduce(
      List<InternalAggregation> aggregations, ReduceContext reduceContext) {
    throw new UnsupportedOperationException("never reduced");
  }

  @Override
  protected boolean mustReduceOnSingleInternalAgg() {
    return false;
  }

  @Override
  public Object getProperty(List<String> path) {
    throw new UnsupportedOperationException("never read by pipelines");
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DocCountBounds bounds && bounds.estimate.equals(estimate);
  }

  @Override
  public int hashCode() {
    return estimate.hashCode();
  }
}
