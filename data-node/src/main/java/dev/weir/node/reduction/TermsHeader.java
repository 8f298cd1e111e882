package dev.weir.node.reduction;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalMultiBucketAggregation;
import org.opensearch.search.aggregations.InternalOrder;
import org.opensearch.search.aggregations.bucket.terms.InternalTerms;

/**
 * What OpenSearch's result of a terms aggregation says to other nodes only, read from its bytes.
 * Immutable.
 *
 * @param order of the buckets in the response
 * @param minDocCount how many documents a bucket has at least in the response
 * @param shardSize how many buckets a shard returns at most
 */
record TermsHeader(BucketOrder order, long minDocCount, int shardSize) {
  /**
   * Reads it.
   *
   * @param terms of a mapped field
   */
  static TermsHeader of(InternalTerms<?, ?> terms, NamedWriteableRegistry writeables) {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      withoutBuckets(terms).writeTo(out);
      try (StreamInput in =
          new NamedWriteableAwareStreamInput(out.bytes().streamInput(), writeables)) {
        in.readString(); // name
        in.readMap(); // metadata
        InternalOrder.Streams.readOrder(in); // of the shards' buckets
        BucketOrder order = InternalOrder.Streams.readOrder(in);
        in.readVInt(); // size
        long minDocCount = in.readVLong();
        in.readZLong(); // error
        in.readNamedWriteable(DocValueFormat.class);
        int shardSize = in.readVInt();
        return new TermsHeader(order, minDocCount, shardSize == 0 ? Integer.MAX_VALUE : shardSize);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e); // bytes in memory that this node has written
    }
  }

  @SuppressWarnings({"rawtypes", "unchecked"}) // OpenSearch's own type parameters refer to itself
  private static InternalMultiBucketAggregation<?, ?> withoutBuckets(InternalTerms<?, ?> terms) {
    return ((InternalMultiBucketAggregation) terms).create(List.of());
  }

  /**
   * Returns whether a partial reduction keeps all buckets. In the order of keys, if all counts will
   * do, it keeps no more than the response has, and forgets how many documents the others have.
   */
  boolean keepsAllBuckets() {
    return minDocCount > 0 || !InternalOrder.isKeyOrder(order);
  }

  /**
   * Returns whether a coordinating node computes the same error for a merged result as for its
   * parts.
   *
   * @param error of the merged result: the sum of the parts' errors; negative if one is not known
   */
  boolean isErrorKnown(int buckets, long error) {
    if (buckets < shardSize || InternalOrder.isKeyOrder(order)) {
      return true; // no part has an error
    }
    return InternalOrder.isCountDesc(order) ? error > 0 : error < 0;
  }
}
