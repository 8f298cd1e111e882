package org.opensearch.search.aggregations.bucket.histogram;

import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.bucket.histogram.InternalDateHistogram.EmptyBucketInfo;

/**
 * The stretch of time that the final reduction of a date histogram fills with buckets without
 * documents. OpenSearch makes them all before it counts the first.
 *
 * @param from the first key, in milliseconds
 * @param to the last key or later, in milliseconds
 * @param interval between keys, in milliseconds, as at the first one
 * @param buckets how many there are already
 */
@NullMarked
public record DateGaps(long from, long to, long interval, int buckets) {
  /** The stretch of one node's histogram; null where nothing is filled. */
  public static @Nullable DateGaps of(InternalDateHistogram histogram) {
    EmptyBucketInfo filling = histogram.emptyBucketInfo;
    if (histogram.getMinDocCount() != 0 || filling == null) {
      return null;
    }
    List<InternalDateHistogram.Bucket> buckets = histogram.getBuckets();
    long from = Long.MAX_VALUE;
    long to = Long.MIN_VALUE;
    if (!buckets.isEmpty()) {
      from = buckets.getFirst().key;
      to = buckets.getLast().key;
    }
    LongBounds bounds = filling.bounds;
    if (bounds != null) {
      from = bounds.getMin() == null ? from : Math.min(from, bounds.getMin());
      to = bounds.getMax() == null ? to : Math.max(to, bounds.getMax());
    }
    if (from >= to) {
      return null;
    }
    long interval = histogram.nextKey(from).longValue() - from;
    return interval <= 0 ? null : new DateGaps(from, to, interval, buckets.size());
  }

  /** The stretch that covers both. */
  public DateGaps and(DateGaps other) {
    return new DateGaps(
        Math.min(from, other.from),
        Math.max(to, other.to),
        Math.min(interval, other.interval),
        Math.max(buckets, other.buckets));
  }

  /** How many buckets it is short of. */
  public long missing() {
    double all = ((double) to - from) / interval + 1;
    return Math.max(0, (long) all - buckets);
  }
}
