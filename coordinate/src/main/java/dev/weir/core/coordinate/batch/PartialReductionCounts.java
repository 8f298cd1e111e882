package dev.weir.core.coordinate.batch;

import java.util.concurrent.atomic.LongAdder;

/** Counts what nodes left out of results. Safe on any thread. */
public final class PartialReductionCounts {
  private final LongAdder hits = new LongAdder();
  private final LongAdder repeatedQueries = new LongAdder();

  /** Starts at zero. */
  public PartialReductionCounts() {}

  void recordHits(int leftOut) {
    hits.add(leftOut);
  }

  void recordRepeatedQuery() {
    repeatedQueries.increment();
  }

  /** Returns the hits that nodes did not send. */
  public long hits() {
    return hits.sum();
  }

  /**
   * Returns the queries that were sent again because the result of another shard, for which hits
   * were left out, was not used.
   */
  public long repeatedQueries() {
    return repeatedQueries.sum();
  }
}
