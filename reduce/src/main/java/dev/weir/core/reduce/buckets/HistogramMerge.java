package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.memory.ReductionWorkspace;
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
import org.opensearch.search.aggregations.MultiBucketConsumerService.TooManyBucketsException;
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
  static final long BUCKET_OBJECT_BYTES = 160;

  /** So many buckets take OpenSearch some seconds, and are more than its default limit. */
  private static final long MANY_GAPS = 100_000;

  private final BucketReduction reduction;
  private final KeyType keyType;
  private final List<HistogramCursor> shards;
  private final HistogramCursor first;
  private final BucketSink sink;
  private final List<InternalAggregations> parts;
  private long[] keys = new long[INITIAL_BUCKETS];
  private long[] counts = new long[INITIAL_BUCKETS];
  private int size;

  private HistogramMerge(List<HistogramCursor> shards, BucketReduction reduction)
      throws IOException {
    this.shards = shards;
    this.first = shards.getFirst();
    this.keyType = first.keys();
    this.reduction = reduction;
    this.sink =
        reduction.rendersBuckets()
            ? new BucketJsonWriter(reduction, first.isKeyed())
            : new BucketList(reduction.workspace());
    this.parts = new ArrayList<>(shards.size());
  }

  /**
   * Reduces the histograms of all shards.
   *
   * @param shards each at its first bucket; histograms of one type
   */
  static InternalAggregation reduce(List<HistogramCursor> shards, BucketReduction reduction)
      throws IOException {
    HistogramCursor first = shards.getFirst();
    for (HistogramCursor shard : shards) {
      if (!shard.head().getName().equals(first.head().getName())) {
        throw new UnsupportedShardResultsException("got several names (expected: one)");
      }
    }
    if (!ReductionPlan.isSupported(first.order())) {
      throw new UnsupportedShardResultsException("got an order by aggregation");
    }
    return new HistogramMerge(shards, reduction).merge();
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
    long before = reduction.workspace().resultBytes();
    InternalAggregations reduced = InternalAggregations.reduce(parts, reduction.context());
    reduction.workspace().reserveObjects();
    long within = reduction.workspace().resultBytes() - before;
    if (docCount >= first.minDocCount()) {
      sink.add(bucket(key, docCount, reduced));
      if (size == keys.length) {
        reduction.workspace().reserve((long) KEY_BYTES * size);
        keys = Arrays.copyOf(keys, 2 * size);
        counts = Arrays.copyOf(counts, 2 * size);
      }
      keys[size] = key;
      counts[size++] = docCount;
    }
    sink.endBucket(parts.size(), within);
    parts.clear();
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
      long gaps = ReductionWorkspace.estimateGaps(bare);
      checkGaps(gaps);
      reduction.workspace().reserveGaps(gaps, bare);
    }
    long objectBytes = BUCKET_OBJECT_BYTES * size;
    reduction.workspace().reserve(objectBytes);
    InternalAggregation reduced = bare.reduce(List.of(bare), reduction.context());
    InternalAggregation result = sink.finish(reduced, addGaps(reduced));
    reduction.workspace().release(objectBytes);
    return result;
  }

  /**
   * OpenSearch creates all missing buckets before it counts them. A large number that is certainly
   * beyond the limit is rejected before that.
   */
  private void checkGaps(long gaps) {
    if (gaps < MANY_GAPS) {
      return;
    }
    int certain = (int) Math.min(gaps / 2, Integer.MAX_VALUE / 2); // months differ in length
    try {
      reduction.context().consumeBucketsAndMaybeBreak(certain);
    } catch (TooManyBucketsException tooMany) {
      reduction.context().consumeBucketsAndMaybeBreak(certain); // says the number of all
      throw tooMany;
    }
    reduction.context().consumeBucketsAndMaybeBreak(-certain);
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
  static InternalAggregation withBuckets(
      InternalAggregation head, List<InternalMultiBucketAggregation.InternalBucket> buckets) {
    return ((InternalMultiBucketAggregation<?, InternalMultiBucketAggregation.InternalBucket>) head)
        .create(buckets);
  }

  /**
   * Adds the buckets that OpenSearch added.
   *
   * @return the numbers of all buckets in the order of the response; null for the order in which
   *     they were added
   */
  private int @Nullable [] addGaps(InternalAggregation reduced) throws IOException {
    List<? extends InternalMultiBucketAggregation.InternalBucket> buckets =
        ((InternalMultiBucketAggregation<?, ?>) reduced).getBuckets();
    reduction.workspace().reserve((long) Integer.BYTES * buckets.size());
    int[] order = new int[buckets.size()];
    boolean isOrdered = true;
    for (int i = 0; i < order.length; i++) {
      InternalMultiBucketAggregation.InternalBucket bucket = buckets.get(i);
      int found = find(keyType.toKey(((HistogramFactory) reduced).getKey(bucket)));
      if (found < 0) {
        reduction.throwIfCancelled();
        order[i] = sink.addGap(bucket);
      } else {
        order[i] = found;
      }
      isOrdered &= order[i] == i;
    }
    return isOrdered ? null : order;
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
