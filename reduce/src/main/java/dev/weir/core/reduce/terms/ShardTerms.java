package dev.weir.core.reduce.terms;

import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalOrder;
import org.opensearch.search.aggregations.bucket.terms.LongTerms;
import org.opensearch.search.aggregations.bucket.terms.UnmappedTerms;

/**
 * One shard's result of a terms aggregation: counts and keys in arrays, and the position of each
 * bucket's metrics. The layout is that of {@code InternalMappedTerms}. Used by one thread at a
 * time.
 */
final class ShardTerms {
  /** A count, no metrics and the shortest key. */
  private static final int MIN_BUCKET_BYTES = 3;

  private final Header header;
  private final BucketOrder bucketOrder;
  private final boolean isMapped;
  private final long shardCountError;
  private final int shardSize;
  private final long otherDocCount;
  private final AggregationBytes window;
  private final FrameStreamInput input;
  private final TermKeys keys;
  private final long[] counts;
  private final int[] metricsOffsets;
  private final @Nullable BucketMetrics metrics;

  /**
   * The part of a terms aggregation that is equal on all shards.
   *
   * @param type the class name on the wire
   * @param order the bucket order of the response
   */
  record Header(
      String type,
      String name,
      @Nullable Map<String, Object> metadata,
      BucketOrder order,
      int requiredSize,
      long minDocCount,
      DocValueFormat format) {}

  /**
   * Reads the terms aggregation that follows its type.
   *
   * @param type one with {@linkplain TermKeys#isSupported supported} keys, or the type of a shard
   *     that does not map the field
   * @throws IOException if the aggregation cannot be read here
   */
  ShardTerms(String type, AggregationBytes window, FrameStreamInput in) throws IOException {
    this.window = window;
    this.input = in;
    String name = in.readString();
    Map<String, Object> metadata = in.readMap();
    this.bucketOrder = InternalOrder.Streams.readOrder(in);
    BucketOrder order = InternalOrder.Streams.readOrder(in);
    int requiredSize = checkSize(in.readVInt());
    long minDocCount = in.readVLong();
    this.isMapped = !type.equals(UnmappedTerms.NAME);
    if (!isMapped) {
      this.shardCountError = 0;
      this.shardSize = Integer.MAX_VALUE;
      this.otherDocCount = 0;
      this.header =
          new Header(type, name, metadata, order, requiredSize, minDocCount, DocValueFormat.RAW);
      this.keys = TermKeys.create(LongTerms.NAME, 0, window);
      this.counts = new long[0];
      this.metricsOffsets = new int[0];
      this.metrics = null;
      return;
    }
    this.shardCountError = in.readZLong();
    DocValueFormat format = in.readNamedWriteable(DocValueFormat.class);
    this.shardSize = checkSize(in.readVInt());
    if (in.readBoolean()) {
      throw new IOException("got errors of counts for each bucket (expected: none)");
    }
    this.otherDocCount = in.readVLong();
    int buckets = in.readVInt();
    if (buckets < 0 || buckets > in.available() / MIN_BUCKET_BYTES) {
      throw new IOException("got " + buckets + " buckets (expected: no more than fit)");
    }
    this.header = new Header(type, name, metadata, order, requiredSize, minDocCount, format);
    this.keys = TermKeys.create(type, buckets, window);
    this.counts = new long[buckets];
    this.metricsOffsets = new int[buckets];
    BucketMetrics seen = null;
    long[] skipped = {};
    for (int bucket = 0; bucket < buckets; bucket++) {
      counts[bucket] = in.readVLong();
      metricsOffsets[bucket] = in.position();
      if (seen == null) {
        seen = BucketMetrics.readFirst(window, in);
        skipped = new long[seen.valueCount()];
      }
      seen.read(window, in, skipped, 0);
      keys.read(bucket, in);
    }
    this.metrics = seen;
  }

  /** OpenSearch writes 0 for "no limit". */
  private static int checkSize(int written) throws IOException {
    if (written < 0) {
      throw new IOException("got a size of " + written + " (expected: none below zero)");
    }
    return written == 0 ? Integer.MAX_VALUE : written;
  }

  /** Returns whether the shard maps the field; otherwise it has no buckets. */
  boolean isMapped() {
    return isMapped;
  }

  Header header() {
    return header;
  }

  int bucketCount() {
    return counts.length;
  }

  int shardSize() {
    return shardSize;
  }

  /** Returns how the shard sorted its buckets. */
  BucketOrder bucketOrder() {
    return bucketOrder;
  }

  /** Returns the number of documents outside of the buckets. */
  long otherDocCount() {
    return otherDocCount;
  }

  /** Returns by how much the counts may be too low within the shard. */
  long shardCountError() {
    return shardCountError;
  }

  long docCount(int bucket) {
    return counts[bucket];
  }

  int compareKeys(int bucket, ShardTerms other, int othersBucket) {
    return keys.compare(bucket, other.keys, othersBucket);
  }

  /** Returns whether the buckets have the same metrics as another shard's. */
  boolean hasSameMetrics(ShardTerms other) {
    return metrics == null || other.metrics == null || metrics.isSameLayout(other.metrics);
  }

  TermKeys keys() {
    return keys;
  }

  /** Returns the buckets' metrics; null without buckets. */
  @Nullable BucketMetrics metrics() {
    return metrics;
  }

  /** Reads the values of a bucket's metrics. */
  void readMetrics(int bucket, long[] into, int at) {
    if (metrics == null || metrics.valueCount() == 0) {
      return;
    }
    try {
      window.seek(input, metricsOffsets[bucket]);
      metrics.read(window, input, into, at);
    } catch (IOException changed) {
      throw new UncheckedIOException("got other bytes (expected: those of before)", changed);
    }
  }

  /**
   * Returns how many documents a term that the shard does not list may have at most, as OpenSearch
   * computes it; negative if unknown ({@code InternalTerms.getDocCountError}).
   */
  long maxCountError() {
    if (counts.length == 0 || counts.length < shardSize || InternalOrder.isKeyOrder(header.order)) {
      return 0;
    }
    if (!InternalOrder.isCountDesc(header.order)) {
      return -1;
    }
    if (shardCountError > 0) {
      return shardCountError;
    }
    long least = Long.MAX_VALUE;
    for (long count : counts) {
      least = Math.min(least, count);
    }
    return least;
  }
}
