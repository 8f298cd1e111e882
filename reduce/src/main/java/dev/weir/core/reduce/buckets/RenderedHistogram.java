package dev.weir.core.reduce.buckets;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.search.aggregations.Aggregation.CommonFields;
import org.opensearch.search.aggregations.InternalAggregation;

/**
 * A finished histogram whose buckets are JSON. It can be written as content of a response, and
 * nothing else: it has no objects.
 */
final class RenderedHistogram extends InternalAggregation {
  private final String type;
  private final RenderedBuckets buckets;

  RenderedHistogram(
      String type, String name, @Nullable Map<String, Object> metadata, RenderedBuckets buckets) {
    super(name, metadata);
    this.type = type;
    this.buckets = buckets;
  }

  @Override
  public String getWriteableName() {
    return type;
  }

  @Override
  public XContentBuilder doXContentBody(XContentBuilder builder, Params params) throws IOException {
    if (!builder.isPrettyPrint()) {
      return builder.rawField(
          CommonFields.BUCKETS.getPreferredName(), buckets.open(), XContentType.JSON);
    }
    try (XContentParser parser =
        JsonXContent.jsonXContent.createParser(
            NamedXContentRegistry.EMPTY,
            DeprecationHandler.THROW_UNSUPPORTED_OPERATION,
            buckets.open())) {
      parser.nextToken();
      builder.field(CommonFields.BUCKETS.getPreferredName());
      return builder.copyCurrentStructure(parser);
    }
  }

  @Override
  protected void doWriteTo(StreamOutput out) {
    throw new UnsupportedOperationException(
        "got a finished aggregation to serialize (expected: to write it as content)");
  }

  @Override
  public InternalAggregation reduce(List<InternalAggregation> parts, ReduceContext context) {
    throw new UnsupportedOperationException(
        "got a finished aggregation to reduce (expected: to write it as content)");
  }

  @Override
  protected boolean mustReduceOnSingleInternalAgg() {
    return false;
  }

  @Override
  public Object getProperty(List<String> path) {
    throw new UnsupportedOperationException(
        "got a finished aggregation to read (expected: to write it as content)");
  }
}
