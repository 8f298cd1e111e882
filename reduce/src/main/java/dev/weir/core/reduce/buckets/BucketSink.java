package dev.weir.core.reduce.buckets;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalMultiBucketAggregation.InternalBucket;

/** Takes the finished buckets of one histogram, one at a time. Used by one thread. */
interface BucketSink {
  /** Adds a bucket with documents and returns its number. */
  int add(InternalBucket bucket) throws IOException;

  /** Adds a bucket that fills a gap and returns its number. */
  int addGap(InternalBucket bucket) throws IOException;

  /**
   * The objects from which the current bucket was made are garbage.
   *
   * @param parts how many shards sent a part of it
   * @param resultBytes reserved for finished aggregations within the bucket
   */
  void endBucket(int parts, long resultBytes);

  /**
   * Returns the histogram with the added buckets; nothing is added after that.
   *
   * @param reduced the histogram, whose buckets have no contents
   * @param order the buckets of the result by number; null for all of them as they were added
   */
  InternalAggregation finish(InternalAggregation reduced, int @Nullable [] order)
      throws IOException;
}
