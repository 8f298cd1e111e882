package dev.weir.core.reduce.memory;

import java.util.HashMap;
import java.util.Map;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.bucket.histogram.EmptyBucketRange;

/**
 * Estimates how many buckets without documents the final reduction will create for a search's
 * histograms. A top-level histogram is filled over the range that all shard results cover. A nested
 * histogram occurs once in each bucket of its parent, and shards mostly have the same parents: the
 * estimate is the number of gaps in the result with most of them, and at least the covered range.
 * Buckets beyond the estimate are accounted for as they are created. Safe on any thread.
 */
final class EmptyBucketEstimator {
  private final Map<String, HistogramGroup> byName = new HashMap<>();

  /**
   * The histograms of one name.
   *
   * @param coveredRange the range that they cover together
   * @param isNested whether a result has more than one
   * @param maxMissing the largest number of gaps in one result
   */
  private record HistogramGroup(EmptyBucketRange coveredRange, boolean isNested, long maxMissing) {
    long missingBuckets() {
      return isNested
          ? Math.max(coveredRange.missingBuckets(), maxMissing)
          : coveredRange.missingBuckets();
    }
  }

  /** The histograms of one shard result. Safe on any thread. */
  final class ResponseEstimate {
    private final Map<String, Long> missingByName = new HashMap<>();

    private ResponseEstimate() {}

    /** A histogram was read. Returns how many buckets those of all results will need. */
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

  /** Starts to read another shard result. */
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
