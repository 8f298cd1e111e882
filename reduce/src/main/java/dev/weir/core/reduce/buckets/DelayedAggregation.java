package dev.weir.core.reduce.buckets;

import java.io.IOException;
import java.util.List;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.aggregations.InternalAggregation;

/**
 * A shard's part of an aggregation that is still bytes. OpenSearch's reduction of the aggregation
 * around it collects the parts of a bucket, and has the first of them reduce all.
 */
abstract class DelayedAggregation extends InternalAggregation {
  private final ShardResult shard;
  private final Extent extent;

  /**
   * Where an aggregation is in its shard's bytes.
   *
   * @param from its name
   * @param to the first byte after it
   */
  record Extent(String type, int from, int to) {}

  DelayedAggregation(String name, ShardResult shard, Extent extent) {
    super(name, null);
    this.shard = shard;
    this.extent = extent;
  }

  /** Returns the reduction of the search. */
  final BucketReduction reduction() {
    return shard.reduction();
  }

  /** Opens the bytes of a part of this aggregation. */
  final ShardResult open(InternalAggregation part) throws UnsupportedShardResultsException {
    DelayedAggregation other = sameType(part);
    return other.shard.slice(other.extent.from, other.extent.to);
  }

  /** Returns a part of this aggregation; all parts have the same type. */
  final DelayedAggregation sameType(InternalAggregation part)
      throws UnsupportedShardResultsException {
    if (part instanceof DelayedAggregation other && other.extent.type.equals(extent.type)) {
      return other;
    }
    throw new UnsupportedShardResultsException("got shards with different aggregations");
  }

  /** Reads the bytes. */
  final InternalAggregation readObject() throws IOException {
    return shard.read(extent.type, extent.from, extent.to);
  }

  @Override
  public final String getWriteableName() {
    return extent.type;
  }

  @Override
  protected final boolean mustReduceOnSingleInternalAgg() {
    return true;
  }

  /** Writes nothing: a result is measured with the description of its gaps, which stays unread. */
  @Override
  protected final void doWriteTo(StreamOutput out) {}

  @Override
  public final Object getProperty(List<String> path) {
    throw unread();
  }

  @Override
  public final XContentBuilder doXContentBody(XContentBuilder builder, Params params) {
    throw unread();
  }

  private static UnsupportedOperationException unread() {
    return new UnsupportedOperationException(
        "got an aggregation as bytes (expected: to reduce it first)");
  }
}
