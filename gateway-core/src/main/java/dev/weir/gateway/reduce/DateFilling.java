package dev.weir.gateway.reduce;

import java.util.HashMap;
import java.util.Map;
import org.opensearch.search.aggregations.bucket.histogram.DateGaps;
import org.opensearch.search.aggregations.bucket.histogram.InternalDateHistogram;

/**
 * How many buckets without documents the final reduction will make for the date histograms of a
 * search. One that comes once an answer is filled over the stretch that all answers cover; one that
 * comes more often, within the buckets of another, is taken for as many as it has gaps in all
 * answers, which is what it comes to where answers cover different times. Safe on any thread.
 */
final class DateFilling {
  private final Map<String, Filled> byName = new HashMap<>();
  private int answers;

  private static final class Filled {
    private final DateGaps all;
    private final int times;
    private final long missing;

    Filled(DateGaps all, int times, long missing) {
      this.all = all;
      this.times = times;
      this.missing = missing;
    }

    Filled and(DateGaps one) {
      return new Filled(all.and(one), times + 1, saturated(missing, one.missing()));
    }
  }

  /** Another answer is being read. */
  synchronized void answer() {
    answers++;
  }

  /** A histogram was read; how many buckets all of them will need. */
  synchronized long read(InternalDateHistogram histogram) {
    DateGaps gaps = DateGaps.of(histogram);
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
