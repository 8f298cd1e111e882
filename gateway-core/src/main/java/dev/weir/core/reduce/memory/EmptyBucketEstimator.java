package dev.weir.core.reduce.memory;

import java.util.HashMap;
import java.util.Map;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.bucket.histogram.EmptyBucketRange;

/**
 * How many buckets without documents the final reduction will make for the histograms of a search.
 * One that comes once an answer is filled over the stretch that all answers cover. One that comes
 * more often lies within the buckets of another, which shards mostly have in common: it is taken
 * for as many as it has gaps in the answer that has most of them, and for no less than the other;
 * what it comes to beyond that is paid for as it is made. Safe on any thread.
 */
final class EmptyBucketEstimator {
  private final Map<String, HistogramGroup> byName = new HashMap<>();

  /**
   * The histograms of one name.
   *
   * @param coveredRange the stretch that they cover together
   * @param isNested whether an answer has more than one
   * @param maxMissing missing in one answer
   */
  private record HistogramGroup(EmptyBucketRange coveredRange, boolean isNested, long maxMissing) {
    long missingBuckets() {
      return isNested
          ? Math.max(coveredRange.missingBuckets(), maxMissing)
          : coveredRange.missingBuckets();
    }
  }

  /** What one answer has of it. Safe on any thread. */
  final class ResponseEstimate {
    private final Map<String, Long> missingByName = new HashMap<>();

    private ResponseEstimate() {}

    /** A histogram was read; how many buckets those of all answers will need. */
    long recordHistogram(InternalAggregation histogram) {
      EmptyBucketRange gaps = EmptyBucketRange.ofAggregation(histogram);
      synchronized (EmptyBucketEstimator.this) {
        if (gaps != null) {
          String name = histogram.getName();
          Long before = missingByName.get(name);
          long sum =
              before == null ? gaps.missingBuckets() : addSaturated(before, gaps.missingBuckets());
          missingByName.put(name, sum);
          HistogramGroup now = new HistogramGroup(gaps, before != null, sum);
          byName.merge(name, now, EmptyBucketEstimator::merge);
        }
        return missingBuckets();
      }
    }
  }

  /** Another answer is being read. */
  ResponseEstimate startResponse() {
    return new ResponseEstimate();
  }

  private static HistogramGroup merge(HistogramGroup one, HistogramGroup other) {
    return new HistogramGroup(
        one.coveredRange.union(other.coveredRange),
        one.isNested || other.isNested,
        Math.max(one.maxMissing, other.maxMissing));
  }

  private long missingBuckets() {
    long sum = 0;
    for (HistogramGroup one : byName.values()) {
      sum = addSaturated(sum, one.missingBuckets());
    }
    return sum;
  }

  private static long addSaturated(long one, long other) {
    return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
  }
}
