package dev.weir.core.reduce.terms;

import dev.weir.protocol.FrameInput;
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
 * One shard's answer to a terms aggregation: counts and keys in arrays, and where in the answer the
 * metrics of each bucket stand. The layout is that of {@code InternalMappedTerms}. Used by one
 * thread at a time.
 */
final class ShardTerms {
  /** A count, no metrics and the shortest key. */
  private static final int LEAST_BUCKET_BYTES = 3;

  private final Head head;
  private final BucketOrder sorted;
  private final boolean mapped;
  private final long ownCountError;
  private final int shardSize;
  private final long others;
  private final Window window;
  private final FrameInput in;
  private final TermKeys keys;
  private final long[] counts;
  private final int[] metricsAt;
  private final @Nullable BucketMetrics metrics;

  /**
   * What all shards say alike.
   *
   * @param type the name of the class on the wire
   * @param order of the answer
   */
  record Head(
      String type,
      String name,
      @Nullable Map<String, Object> metadata,
      BucketOrder order,
      int requiredSize,
      long minDocCount,
      DocValueFormat format) {}

  /**
   * Reads the terms that come next, behind their type.
   *
   * @param type one with {@linkplain TermKeys#knows known} keys, or of a shard whose index does not
   *     have the field
   * @throws IOException when they are none that can be read so
   */
  ShardTerms(String type, Window window, FrameInput in) throws IOException {
    this.window = window;
    this.in = in;
    String name = in.readString();
    Map<String, Object> metadata = in.readMap();
    this.sorted = InternalOrder.Streams.readOrder(in);
    BucketOrder order = InternalOrder.Streams.readOrder(in);
    int requiredSize = size(in.readVInt());
    long minDocCount = in.readVLong();
    this.mapped = !type.equals(UnmappedTerms.NAME);
    if (!mapped) {
      this.ownCountError = 0;
      this.shardSize = Integer.MAX_VALUE;
      this.others = 0;
      this.head =
          new Head(type, name, metadata, order, requiredSize, minDocCount, DocValueFormat.RAW);
      this.keys = TermKeys.named(LongTerms.NAME, 0, window);
      this.counts = new long[0];
      this.metricsAt = new int[0];
      this.metrics = null;
      return;
    }
    this.ownCountError = in.readZLong();
    DocValueFormat format = in.readNamedWriteable(DocValueFormat.class);
    this.shardSize = size(in.readVInt());
    if (in.readBoolean()) {
      throw new IOException("got errors of counts for each bucket (expected: none)");
    }
    this.others = in.readVLong();
    int buckets = in.readVInt();
    if (buckets < 0 || buckets > in.available() / LEAST_BUCKET_BYTES) {
      throw new IOException("got " + buckets + " buckets (expected: no more than fit)");
    }
    this.head = new Head(type, name, metadata, order, requiredSize, minDocCount, format);
    this.keys = TermKeys.named(type, buckets, window);
    this.counts = new long[buckets];
    this.metricsAt = new int[buckets];
    BucketMetrics seen = null;
    long[] skipped = {};
    for (int bucket = 0; bucket < buckets; bucket++) {
      counts[bucket] = in.readVLong();
      metricsAt[bucket] = in.position();
      if (seen == null) {
        seen = BucketMetrics.of(window, in);
        skipped = new long[seen.figures()];
      }
      seen.read(window, in, skipped, 0);
      keys.read(bucket, in);
    }
    this.metrics = seen;
  }

  /** OpenSearch writes no limit as zero. */
  private static int size(int written) throws IOException {
    if (written < 0) {
      throw new IOException("got a size of " + written + " (expected: none below zero)");
    }
    return written == 0 ? Integer.MAX_VALUE : written;
  }

  /** Whether its index has the field; it has no buckets otherwise. */
  boolean mapped() {
    return mapped;
  }

  Head head() {
    return head;
  }

  int buckets() {
    return counts.length;
  }

  int shardSize() {
    return shardSize;
  }

  /** How its buckets are sorted. */
  BucketOrder sorted() {
    return sorted;
  }

  /** Documents in no bucket. */
  long others() {
    return others;
  }

  /** By how much counts may be too low within the shard already. */
  long ownCountError() {
    return ownCountError;
  }

  long count(int bucket) {
    return counts[bucket];
  }

  int compareKeys(int bucket, ShardTerms other, int othersBucket) {
    return keys.compare(bucket, other.keys, othersBucket);
  }

  /** Whether its buckets have the same metrics as another's. */
  boolean metricsAlike(ShardTerms other) {
    return metrics == null || other.metrics == null || metrics.alike(other.metrics);
  }

  /** The keys of its buckets. */
  TermKeys keys() {
    return keys;
  }

  /** What its buckets have beside counts; null where there are no buckets. */
  @Nullable BucketMetrics metrics() {
    return metrics;
  }

  /** Reads the figures of a bucket's metrics. */
  void figures(int bucket, long[] into, int at) {
    if (metrics == null || metrics.figures() == 0) {
      return;
    }
    try {
      window.seek(in, metricsAt[bucket]);
      metrics.read(window, in, into, at);
    } catch (IOException changed) {
      throw new UncheckedIOException("got other bytes (expected: those of before)", changed);
    }
  }

  /**
   * How many documents, at most, a term may have that the shard does not list, as OpenSearch has
   * it; negative where nobody knows ({@code InternalTerms.getDocCountError}).
   */
  long possibleCountError() {
    if (counts.length == 0 || counts.length < shardSize || InternalOrder.isKeyOrder(head.order)) {
      return 0;
    }
    if (!InternalOrder.isCountDesc(head.order)) {
      return -1;
    }
    if (ownCountError > 0) {
      return ownCountError;
    }
    long least = Long.MAX_VALUE;
    for (long count : counts) {
      least = Math.min(least, count);
    }
    return least;
  }
}
