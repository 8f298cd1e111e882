package dev.weir.core.reduce.terms;

import org.opensearch.common.io.stream.DelayableWriteable;
import org.opensearch.common.io.stream.SerializedWriteableInternals;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.search.aggregations.InternalAggregations;

/** Gives access to the bytes of unread aggregations, which OpenSearch keeps private. */
public final class SerializedAggregationsAccess {
  private SerializedAggregationsAccess() {}

  /**
   * Returns the bytes of one shard's aggregations, without a copy if they lie in its reply frame.
   */
  public static AggregationBytes extract(
      DelayableWriteable<InternalAggregations> aggregations, NamedWriteableRegistry writeables) {
    DelayableWriteable.Serialized<InternalAggregations> serialized =
        aggregations.asSerialized(InternalAggregations::readFrom, writeables);
    return new AggregationBytes(
        SerializedWriteableInternals.bytes(serialized).toBytesRef(),
        SerializedWriteableInternals.version(serialized),
        writeables);
  }
}
