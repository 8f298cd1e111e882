package dev.weir.gateway.history;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** The requests of each of the {@link LatencyBuckets}. Immutable. */
final class BucketCounts {
  static final BucketCounts ZERO = new BucketCounts(new long[LatencyBuckets.COUNT]);

  private final long[] counts;

  BucketCounts(LongStream counts) {
    this(counts.toArray());
  }

  private BucketCounts(long[] counts) {
    this.counts = counts;
  }

  BucketCounts plus(BucketCounts other, int factor) {
    long[] sum = counts.clone();
    for (int i = 0; i < sum.length; i++) {
      sum[i] += factor * other.counts[i];
    }
    return new BucketCounts(sum);
  }

  long sum() {
    return Arrays.stream(counts).sum();
  }

  /** Returns a quantile in milliseconds; negative without requests. */
  double quantileMillis(double share) {
    return LatencyBuckets.quantileMillis(counts, share);
  }

  /** Returns the counts up to the last one that is not zero. */
  List<Long> trimmed() {
    int end = counts.length;
    while (end > 0 && counts[end - 1] == 0) {
      end--;
    }
    return Arrays.stream(counts, 0, end).boxed().toList();
  }

  /** Returns for each bound how many requests took at most as long. */
  List<Long> cumulative() {
    long[] sums = Arrays.copyOf(counts, counts.length - 1);
    Arrays.parallelPrefix(sums, Long::sum);
    return Arrays.stream(sums).boxed().toList();
  }
}
