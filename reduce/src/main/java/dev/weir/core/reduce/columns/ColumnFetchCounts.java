package dev.weir.core.reduce.columns;

import java.util.concurrent.atomic.LongAdder;

/** Counts the replies of nodes that may return columns. Safe on any thread. */
public final class ColumnFetchCounts {
  private final LongAdder columns = new LongAdder();
  private final LongAdder hits = new LongAdder();

  /** Starts at zero. */
  public ColumnFetchCounts() {}

  void recordColumns() {
    columns.increment();
  }

  void recordHits() {
    hits.increment();
  }

  /** Returns the replies of shards with columns. */
  public long columns() {
    return columns.sum();
  }

  /** Returns the replies of shards whose node chose to return hits. */
  public long hits() {
    return hits.sum();
  }
}
