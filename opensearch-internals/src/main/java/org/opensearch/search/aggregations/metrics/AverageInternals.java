package org.opensearch.search.aggregations.metrics;

import org.jspecify.annotations.NullMarked;

/** What an average is made of, which only its own package sees. */
@NullMarked
public final class AverageInternals {
  private AverageInternals() {}

  /** The sum of its values. */
  public static double sum(InternalAvg average) {
    return average.getSum();
  }

  /** How many values there are. */
  public static long count(InternalAvg average) {
    return average.getCount();
  }
}
