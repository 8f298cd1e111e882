package dev.weir.core.coordinate.batch;

import java.util.concurrent.atomic.LongAdder;

/** Counts what nodes left out of results. Safe on any thread. */
public final class PartialReductionCounts {
  private final LongAdder hits = new LongAdder();
  private final LongAdder aggregations = new LongAdder();
  private final LongAdder repeatedQueries = new LongAdder();

  /** Starts at zero. */
  public PartialReductionCounts() {}

  void recordHits(int leftOut) {
    hits.add(leftOut);
  }

  void recordAggregations(int merged) {
    aggregations.add(merged);
  }

  void recordRepeatedQuery() {
    repeatedQueries.increment();
  }

  /** Returns the hits that nodes did not send. */
  public long hits() {
    return hits.sum();
  }

  /** Returns the shards whose aggregations nodes sent as a part of another shard's. */
  public long aggregations() {
    return aggregations.sum();
  }

  /**
   * Returns the queries that were sent again because the result of another shard, which was reduced
   * together with theirs, was not used.
   */
  public long repeatedQueries() {
    return repeatedQueries.sum();
  }
}
