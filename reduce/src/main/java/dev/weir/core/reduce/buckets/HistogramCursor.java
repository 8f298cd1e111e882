package dev.weir.core.reduce.buckets;

import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import org.opensearch.common.Rounding;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.InternalOrder;
import org.opensearch.search.aggregations.bucket.histogram.LongBounds;

/**
 * The position within the buckets of one shard's histogram. The layout is that of {@code
 * InternalDateHistogram} and {@code InternalHistogram}. Used by one thread.
 */
final class HistogramCursor {
  /** A key, a count, and the number of aggregations. */
  private static final int MIN_BUCKET_BYTES = Long.BYTES + 2;

  private final ShardResult shard;
  private final KeyType keys;
  private final InternalAggregation head;
  private final BucketOrder order;
  private final long minDocCount;
  private final boolean isKeyed;
  private final boolean isEmpty;
  private int remaining;
  private long key;
  private long docCount;

  /**
   * Reads a histogram up to its first bucket.
   *
   * @param shard at the histogram, after its type
   */
  HistogramCursor(ShardResult shard, String type) throws IOException {
    this.shard = shard;
    this.keys = KeyType.of(type);
    FrameStreamInput in = shard.input();
    int start = in.position();
    in.readString(); // name
    in.readMap(); // metadata
    this.order = InternalOrder.Streams.readHistogramOrder(in, false);
    this.minDocCount = in.readVLong();
    skipDescription(shard, keys, minDocCount);
    this.isKeyed = in.readBoolean();
    this.head = shard.readHead(type, start);
    this.remaining = shard.readCount(MIN_BUCKET_BYTES);
    this.isEmpty = remaining == 0;
    if (!isEmpty) {
      readKey();
    }
  }

  /**
   * Skips a histogram.
   *
   * @param shard at the histogram, after its type and name
   */
  static void skip(ShardResult shard, String type) throws IOException {
    FrameStreamInput in = shard.input();
    in.readMap(); // metadata
    InternalOrder.Streams.readHistogramOrder(in, false);
    skipDescription(shard, KeyType.of(type), in.readVLong());
    in.readBoolean(); // keyed
    for (int i = shard.readCount(MIN_BUCKET_BYTES); i > 0; i--) {
      in.readLong(); // key
      in.readVLong(); // documents
      shard.skipAggregations();
    }
  }

  /** Skips what describes the buckets in gaps, and the keys. */
  private static void skipDescription(ShardResult shard, KeyType keys, long minDocCount)
      throws IOException {
    FrameStreamInput in = shard.input();
    if (minDocCount == 0) {
      if (keys == KeyType.DATE) {
        Rounding.read(in);
        shard.skipAggregations();
        in.readOptionalWriteable(LongBounds::new);
      } else {
        for (int i = 0; i < 4; i++) {
          in.readDouble(); // interval, offset, bounds
        }
        shard.skipAggregations();
      }
    }
    if (keys == KeyType.DATE) {
      in.readLong(); // offset
    }
    in.readNamedWriteable(DocValueFormat.class);
  }

  private void readKey() throws IOException {
    key = keys.read(shard.input());
    docCount = shard.input().readVLong();
    remaining--;
  }

  /** Returns the histogram without its buckets. */
  InternalAggregation head() {
    return head;
  }

  /** Returns how keys are compared. */
  KeyType keys() {
    return keys;
  }

  BucketOrder order() {
    return order;
  }

  /** Returns whether the response has the buckets as an object's fields. */
  boolean isKeyed() {
    return isKeyed;
  }

  long minDocCount() {
    return minDocCount;
  }

  /** Returns whether the shard sent no buckets at all. */
  boolean isEmpty() {
    return isEmpty;
  }

  /** Returns the key of the current bucket. */
  long key() {
    return key;
  }

  /** Returns the number of documents of the current bucket. */
  long docCount() {
    return docCount;
  }

  /** Reads the aggregations of the current bucket; once. */
  InternalAggregations readAggregations() throws IOException {
    return InternalAggregations.readFrom(shard.objectInput());
  }

  /**
   * Moves to the next bucket, after the aggregations of the current one were read.
   *
   * @return whether there is one
   */
  boolean advance() throws IOException {
    if (remaining == 0) {
      return false;
    }
    long before = key;
    readKey();
    if (keys.compare(key, before) <= 0) {
      throw new UnsupportedShardResultsException("got unsorted keys (expected: ascending ones)");
    }
    return true;
  }
}
