package org.opensearch.search.aggregations.bucket.histogram;

import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.InternalAggregation;

/**
 * The range that the final reduction of a histogram fills with empty buckets. OpenSearch creates
 * all of them before it counts the first.
 *
 * @param from the first key; of dates in milliseconds
 * @param to the last key or later
 * @param interval between keys; of dates the shorter of those at both ends
 * @param bucketCount the number of existing buckets
 */
@NullMarked
public record EmptyBucketRange(double from, double to, double interval, int bucketCount) {
  /**
   * Returns the range of one shard's aggregation; null if no buckets are filled in.
   *
   * @throws IllegalArgumentException if the keys do not grow from bucket to bucket, so that
   *     OpenSearch would never end to fill them in
   */
  public static @Nullable EmptyBucketRange ofAggregation(InternalAggregation aggregation) {
    return switch (aggregation) {
      case InternalDateHistogram dates when dates.getMinDocCount() == 0 -> fromDateHistogram(dates);
      case InternalHistogram numbers when numbers.getMinDocCount() == 0 -> fromHistogram(numbers);
      default -> null;
    };
  }

  private static @Nullable EmptyBucketRange fromDateHistogram(InternalDateHistogram histogram) {
    InternalDateHistogram.EmptyBucketInfo filling = histogram.emptyBucketInfo;
    if (filling == null) {
      return null;
    }
    List<InternalDateHistogram.Bucket> buckets = histogram.getBuckets();
    long from = Long.MAX_VALUE;
    long to = Long.MIN_VALUE;
    for (InternalDateHistogram.Bucket bucket : buckets) {
      from = Math.min(from, bucket.key);
      to = Math.max(to, bucket.key);
    }
    LongBounds bounds = filling.bounds;
    if (bounds != null) {
      long offset = histogram.getOffset(); // bounds are without it, keys with it
      from = bounds.getMin() == null ? from : Math.min(from, bounds.getMin() + offset);
      to = bounds.getMax() == null ? to : Math.max(to, bounds.getMax() + offset);
    }
    if (from >= to) {
      return null;
    }
    long interval =
        Math.min(
            histogram.nextKey(from).longValue() - from, histogram.nextKey(to).longValue() - to);
    return create((double) from, (double) to, (double) interval, buckets.size());
  }

  private static @Nullable EmptyBucketRange fromHistogram(InternalHistogram histogram) {
    InternalHistogram.EmptyBucketInfo filling = histogram.emptyBucketInfo;
    if (filling == null) {
      return null;
    }
    List<InternalHistogram.Bucket> buckets = histogram.getBuckets();
    // without bounds these are +infinity and -infinity
    double from = filling.minBound;
    double to = filling.maxBound;
    for (InternalHistogram.Bucket bucket : buckets) {
      from = Math.min(from, bucket.key);
      to = Math.max(to, bucket.key);
    }
    boolean grows =
        from >= to
            || (histogram.nextKey(from).doubleValue() > from
                && histogram.nextKey(to).doubleValue() > to);
    return create(from, to, grows ? filling.interval : 0, buckets.size());
  }

  private static @Nullable EmptyBucketRange create(
      double from, double to, double interval, int buckets) {
    if (from >= to) {
      return null;
    }
    if (interval > 0 && from < to) {
      return new EmptyBucketRange(from, to, interval, buckets);
    }
    throw new IllegalArgumentException(
        "got keys from "
            + from
            + " to "
            + to
            + " and an interval of "
            + interval
            + " (expected: keys that grow)");
  }

  /** Returns the range that covers both. */
  public EmptyBucketRange union(EmptyBucketRange other) {
    return new EmptyBucketRange(
        Math.min(from, other.from),
        Math.max(to, other.to),
        Math.min(interval, other.interval),
        Math.max(bucketCount, other.bucketCount));
  }

  /** Returns how many buckets will be added. */
  public long missingBuckets() {
    double all = (to - from) / interval + 1;
    return Math.max(0, (long) all - bucketCount);
  }
}
