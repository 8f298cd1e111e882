package dev.weir.core.reduce.terms;

import dev.weir.core.reduce.hits.PrivateFieldAccess;
import java.lang.invoke.VarHandle;
import org.opensearch.Version;
import org.opensearch.common.io.stream.DelayableWriteable;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.search.aggregations.InternalAggregations;

/** Gives access to the bytes of unread aggregations, which OpenSearch keeps private. */
public final class SerializedAggregationsAccess {
  private static final VarHandle BYTES =
      PrivateFieldAccess.find(
          DelayableWriteable.Serialized.class, "serialized", BytesReference.class);
  private static final VarHandle VERSION =
      PrivateFieldAccess.find(
          DelayableWriteable.Serialized.class, "serializedAtVersion", Version.class);

  private SerializedAggregationsAccess() {}

  /**
   * Returns the bytes of one shard's aggregations, without a copy if they lie in its reply frame.
   */
  public static AggregationBytes extract(
      DelayableWriteable<InternalAggregations> aggregations, NamedWriteableRegistry writeables) {
    DelayableWriteable.Serialized<InternalAggregations> serialized =
        aggregations.asSerialized(InternalAggregations::readFrom, writeables);
    BytesReference bytes = (BytesReference) BYTES.get(serialized);
    return new AggregationBytes(bytes.toBytesRef(), (Version) VERSION.get(serialized), writeables);
  }
}
