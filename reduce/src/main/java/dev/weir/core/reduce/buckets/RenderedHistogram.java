package dev.weir.core.reduce.buckets;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.search.aggregations.Aggregation.CommonFields;
import org.opensearch.search.aggregations.Aggregations;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.MultiBucketsAggregation;

/**
 * A finished histogram whose buckets are JSON. It can be written as content of a response, and
 * counted by OpenSearch's limit on buckets, and nothing else: it has no objects.
 */
final class RenderedHistogram extends InternalAggregation implements MultiBucketsAggregation {
  private final String type;
  private final RenderedBuckets buckets;
  private final int bucketCount;

  /**
   * Creates a histogram.
   *
   * @param reduced has the name, type and metadata
   * @param bucketCount number of buckets, with those inside of them
   */
  RenderedHistogram(InternalAggregation reduced, RenderedBuckets buckets, int bucketCount) {
    super(reduced.getName(), reduced.getMetadata());
    this.type = reduced.getWriteableName();
    this.buckets = buckets;
    this.bucketCount = bucketCount;
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

  /** Writes nothing: OpenSearch serializes a result only to learn its size. */
  @Override
  protected void doWriteTo(StreamOutput out) {}

  /** Returns as many buckets as there are with those inside of them. */
  @Override
  public List<? extends MultiBucketsAggregation.Bucket> getBuckets() {
    return Collections.nCopies(bucketCount, CountedBucket.ONE);
  }

  /** Stands for a bucket that is JSON, for OpenSearch's count of buckets. */
  private enum CountedBucket implements MultiBucketsAggregation.Bucket {
    ONE;

    @Override
    public Object getKey() {
      return "";
    }

    @Override
    public String getKeyAsString() {
      return "";
    }

    @Override
    public long getDocCount() {
      return 0;
    }

    @Override
    public Aggregations getAggregations() {
      return InternalAggregations.EMPTY;
    }

    @Override
    public XContentBuilder toXContent(XContentBuilder builder, Params params) {
      return builder;
    }
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
