package dev.weir.gateway.reduce;

import java.util.HashMap;
import java.util.Map;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.bucket.histogram.HistogramGaps;

/**
 * How many buckets without documents the final reduction will make for the histograms of a search.
 * One that comes once an answer is filled over the stretch that all answers cover; one that comes
 * more often, within the buckets of another, is taken for as many as it has gaps in all answers,
 * which is what it comes to where answers cover different stretches. Safe on any thread.
 */
final class HistogramFilling {
  private final Map<String, Filled> byName = new HashMap<>();
  private int answers;

  private static final class Filled {
    private final HistogramGaps all;
    private final int times;
    private final long missing;

    Filled(HistogramGaps all, int times, long missing) {
      this.all = all;
      this.times = times;
      this.missing = missing;
    }

    Filled and(HistogramGaps one) {
      return new Filled(all.and(one), times + 1, saturated(missing, one.missing()));
    }
  }

  /** Another answer is being read. */
  synchronized void answer() {
    answers++;
  }

  /** A histogram was read; how many buckets all of them will need. */
  synchronized long read(InternalAggregation histogram) {
    HistogramGaps gaps = HistogramGaps.of(histogram);
    if (gaps != null) {
      byName.merge(
          histogram.getName(), new Filled(gaps, 1, gaps.missing()), (old, now) -> old.and(gaps));
    }
    long sum = 0;
    for (Filled one : byName.values()) {
      long needed = one.all.missing();
      sum = saturated(sum, one.times > answers ? Math.max(needed, one.missing) : needed);
    }
    return sum;
  }

  private static long saturated(long one, long other) {
    return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
  }
}
