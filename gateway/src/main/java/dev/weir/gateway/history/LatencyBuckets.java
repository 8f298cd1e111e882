package dev.weir.gateway.history;

import dev.weir.observe.RequestMetrics;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The buckets of request durations, those of {@code weir_request_seconds}: bucket {@code i} has the
 * requests that took at most bound {@code i} and longer than the bound before; one more bucket has
 * the rest.
 */
final class LatencyBuckets {
  private static final List<Long> BOUNDS_MILLIS = RequestMetrics.bucketBoundsMillis();
  private static final long[] BOUNDS_NANOS =
      BOUNDS_MILLIS.stream().mapToLong(TimeUnit.MILLISECONDS::toNanos).toArray();

  /** How many buckets there are. */
  static final int COUNT = BOUNDS_NANOS.length + 1;

  private LatencyBuckets() {}

  /** The upper bounds in milliseconds; the last bucket has none. */
  static List<Long> boundsMillis() {
    return BOUNDS_MILLIS;
  }

  /** Returns the bucket of a duration. */
  static int indexOf(long nanos) {
    int bucket = 0;
    while (bucket < BOUNDS_NANOS.length && nanos > BOUNDS_NANOS[bucket]) {
      bucket++;
    }
    return bucket;
  }

  /**
   * Returns a quantile in milliseconds, interpolated within its bucket; the last bound if it is
   * beyond; negative without requests.
   *
   * @param counts the requests of each bucket
   * @param share 0 to 1
   */
  static double quantileMillis(long[] counts, double share) {
    long all = 0;
    for (long count : counts) {
      all += count;
    }
    double left = all * share;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0 && left <= counts[i]) {
        double low = i == 0 ? 0 : BOUNDS_MILLIS.get(i - 1);
        double high = i < BOUNDS_MILLIS.size() ? BOUNDS_MILLIS.get(i) : low;
        return low + (high - low) * (left / counts[i]);
      }
      left -= counts[i];
    }
    return all == 0 ? -1 : BOUNDS_MILLIS.getLast();
  }
}
