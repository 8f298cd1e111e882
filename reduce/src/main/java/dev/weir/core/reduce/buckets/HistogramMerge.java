package dev.weir.core.reduce.buckets;

import java.io.IOException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import org.apache.lucene.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.InternalMultiBucketAggregation;
import org.opensearch.search.aggregations.bucket.MultiBucketsAggregation;
import org.opensearch.search.aggregations.bucket.histogram.HistogramFactory;

/**
 * Merges the shards' histograms of one name. It merges buckets of equal keys in the order in which
 * OpenSearch does, so that sums and digests add their parts in the same order. The keys and counts
 * of the finished buckets then pass through OpenSearch's own reduction, which fills gaps, sorts and
 * counts buckets. Used once.
 */
final class HistogramMerge {
  private static final int INITIAL_BUCKETS = 16;

  /** A bucket's key and count here. */
  private static final int KEY_BYTES = 2 * Long.BYTES;

  /** Heap bytes of an OpenSearch bucket without aggregations, and of its list entries. */
  private static final long BUCKET_OBJECT_BYTES = 160;

  private final BucketReduction reduction;
  private final KeyType keyType;
  private final List<HistogramCursor> shards;
  private final HistogramCursor first;
  private final BucketJsonWriter json;
  private final List<InternalAggregations> parts;
  private long[] keys = new long[INITIAL_BUCKETS];
  private long[] counts = new long[INITIAL_BUCKETS];
  private int size;

  private HistogramMerge(List<HistogramCursor> shards, KeyType keyType, BucketReduction reduction)
      throws IOException {
    this.shards = shards;
    this.first = shards.getFirst();
    this.keyType = keyType;
    this.reduction = reduction;
    this.json = new BucketJsonWriter(reduction, first.isKeyed());
    this.parts = new ArrayList<>(shards.size());
  }

  /**
   * Reduces the histogram that is next in all shards' results.
   *
   * @param type of the aggregation
   */
  static InternalAggregation reduce(
      List<ShardResult> shards, String type, BucketReduction reduction) throws IOException {
    KeyType keyType = KeyType.of(type);
    List<HistogramCursor> cursors = new ArrayList<>(shards.size());
    for (ShardResult shard : shards) {
      HistogramCursor cursor = new HistogramCursor(shard, keyType);
      cursors.add(cursor);
      if (!cursor.head().getName().equals(cursors.getFirst().head().getName())) {
        throw new UnsupportedShardResultsException("got several names (expected: one)");
      }
    }
    if (!BucketwiseReducer.isSupported(cursors.getFirst().order())) {
      throw new UnsupportedShardResultsException("got an order by aggregation");
    }
    return new HistogramMerge(cursors, keyType, reduction).merge();
  }

  private InternalAggregation merge() throws IOException {
    PriorityQueue<HistogramCursor> queue =
        new PriorityQueue<>(shards.size()) {
          @Override
          protected boolean lessThan(HistogramCursor one, HistogramCursor other) {
            return keyType.compare(one.key(), other.key()) < 0;
          }
        };
    for (HistogramCursor shard : shards) {
      if (!shard.isEmpty()) {
        queue.add(shard);
      }
    }
    long key = 0;
    long docCount = 0;
    reduction.workspace().startBucket();
    while (queue.size() > 0) {
      HistogramCursor top = queue.top();
      if (parts.isEmpty()) {
        key = top.key();
      } else if (!keyType.isSameGroup(top.key(), key)) {
        finishBucket(key, docCount);
        key = top.key();
        docCount = 0;
      }
      docCount += top.docCount();
      parts.add(top.readAggregations());
      reduction.workspace().reserveObjects();
      if (top.advance()) {
        queue.updateTop();
      } else {
        queue.pop();
      }
    }
    if (!parts.isEmpty()) {
      finishBucket(key, docCount);
    }
    return createResult();
  }

  private void finishBucket(long key, long docCount) throws IOException {
    reduction.throwIfCancelled();
    InternalAggregations reduced = InternalAggregations.reduce(parts, reduction.context());
    reduction.workspace().reserveObjects();
    parts.clear();
    if (docCount >= first.minDocCount()) {
      reduction.measure(reduced);
      json.add(bucket(key, docCount, reduced));
      if (size == keys.length) {
        reduction.workspace().reserve((long) KEY_BYTES * size);
        keys = Arrays.copyOf(keys, 2 * size);
        counts = Arrays.copyOf(counts, 2 * size);
      }
      keys[size] = key;
      counts[size++] = docCount;
    }
    reduction.workspace().startBucket();
  }

  private InternalMultiBucketAggregation.InternalBucket bucket(
      long key, long docCount, InternalAggregations aggregations) {
    return (InternalMultiBucketAggregation.InternalBucket)
        ((HistogramFactory) first.head())
            .createBucket(keyType.toNumber(key), docCount, aggregations);
  }

  /** The finished buckets without aggregations; each access creates an object. */
  private final class BareBuckets
      extends AbstractList<InternalMultiBucketAggregation.InternalBucket> implements RandomAccess {
    @Override
    public InternalMultiBucketAggregation.InternalBucket get(int index) {
      return bucket(keys[index], counts[index], InternalAggregations.EMPTY);
    }

    @Override
    public int size() {
      return size;
    }
  }

  private InternalAggregation createResult() throws IOException {
    InternalAggregation bare = withBuckets(first.head(), new BareBuckets());
    if (first.minDocCount() == 0) {
      boolean single = size < 2;
      checkNextKey(single ? keyType.toNumber(0) : keyType.toNumber(keys[0]));
      checkNextKey(single ? keyType.toNumber(0) : keyType.toNumber(keys[size - 1]));
      reduction.workspace().reserveGaps(bare);
    }
    long objectBytes = BUCKET_OBJECT_BYTES * size;
    reduction.workspace().reserve(objectBytes);
    InternalAggregation reduced = bare.reduce(List.of(bare), reduction.context());
    RenderedBuckets buckets = json.finish(addGaps(reduced));
    reduction.workspace().release(objectBytes);
    return new RenderedHistogram(
        reduced.getWriteableName(), reduced.getName(), reduced.getMetadata(), buckets);
  }

  /** OpenSearch fills gaps from key to key, and stops only if keys grow. */
  private void checkNextKey(Number key) {
    Number next = ((HistogramFactory) first.head()).nextKey(key);
    if (keyType.compare(keyType.toKey(next), keyType.toKey(key)) <= 0) {
      throw new IllegalArgumentException(
          "got " + next + " as the key after " + key + " (expected: a larger one)");
    }
  }

  @SuppressWarnings("unchecked") // the histogram made the buckets itself
  private static InternalAggregation withBuckets(
      InternalAggregation head, List<InternalMultiBucketAggregation.InternalBucket> buckets) {
    return ((InternalMultiBucketAggregation<?, InternalMultiBucketAggregation.InternalBucket>) head)
        .create(buckets);
  }

  /**
   * Writes the buckets that OpenSearch added.
   *
   * @return the numbers of all buckets in the order of the response; null for the order in which
   *     they were written
   */
  private int @Nullable [] addGaps(InternalAggregation reduced) throws IOException {
    List<? extends MultiBucketsAggregation.Bucket> buckets =
        ((MultiBucketsAggregation) reduced).getBuckets();
    reduction.workspace().reserve((long) Integer.BYTES * buckets.size());
    int[] order = new int[buckets.size()];
    boolean isWritten = true;
    for (int i = 0; i < order.length; i++) {
      MultiBucketsAggregation.Bucket bucket = buckets.get(i);
      int found = find(keyType.toKey(((HistogramFactory) reduced).getKey(bucket)));
      if (found < 0) {
        reduction.throwIfCancelled();
        order[i] = json.add(bucket);
      } else {
        order[i] = found;
      }
      isWritten &= order[i] == i;
    }
    return isWritten ? null : order;
  }

  /** Returns the number of the bucket with a key; negative if it is a gap. */
  private int find(long key) {
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int compared = keyType.compare(keys[middle], key);
      if (compared == 0) {
        return middle;
      }
      if (compared < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }
}
