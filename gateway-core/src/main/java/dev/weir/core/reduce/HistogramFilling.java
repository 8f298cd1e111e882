package dev.weir.core.reduce;

import java.util.HashMap;
import java.util.Map;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.bucket.histogram.HistogramGaps;

/**
 * How many buckets without documents the final reduction will make for the histograms of a search.
 * One that comes once an answer is filled over the stretch that all answers cover. One that comes
 * more often lies within the buckets of another, which shards mostly have in common: it is taken
 * for as many as it has gaps in the answer that has most of them, and for no less than the other;
 * what it comes to beyond that is paid for as it is made. Safe on any thread.
 */
final class HistogramFilling {
  private final Map<String, Filled> byName = new HashMap<>();

  /**
   * The histograms of one name.
   *
   * @param all the stretch that they cover together
   * @param nested whether an answer has more than one
   * @param most missing in one answer
   */
  private record Filled(HistogramGaps all, boolean nested, long most) {
    long missing() {
      return nested ? Math.max(all.missing(), most) : all.missing();
    }
  }

  /** What one answer has of it. Safe on any thread. */
  final class Answer {
    private final Map<String, Long> missing = new HashMap<>();

    private Answer() {}

    /** A histogram was read; how many buckets those of all answers will need. */
    long read(InternalAggregation histogram) {
      HistogramGaps gaps = HistogramGaps.of(histogram);
      synchronized (HistogramFilling.this) {
        if (gaps != null) {
          String name = histogram.getName();
          Long before = missing.get(name);
          long sum = before == null ? gaps.missing() : saturated(before, gaps.missing());
          missing.put(name, sum);
          Filled now = new Filled(gaps, before != null, sum);
          byName.merge(name, now, HistogramFilling::both);
        }
        return missing();
      }
    }
  }

  /** Another answer is being read. */
  Answer answer() {
    return new Answer();
  }

  private static Filled both(Filled one, Filled other) {
    return new Filled(
        one.all.and(other.all), one.nested || other.nested, Math.max(one.most, other.most));
  }

  private long missing() {
    long sum = 0;
    for (Filled one : byName.values()) {
      sum = saturated(sum, one.missing());
    }
    return sum;
  }

  private static long saturated(long one, long other) {
    return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
  }
}
