package org.opensearch.search.aggregations.metrics;

import org.jspecify.annotations.NullMarked;

/** Reads the package-private parts of an average. */
@NullMarked
public final class AverageInternals {
  private AverageInternals() {}

  /** Returns the sum of its values. */
  public static double sum(InternalAvg average) {
    return average.getSum();
  }

  /** Returns the number of its values. */
  public static long count(InternalAvg average) {
    return average.getCount();
  }
}
