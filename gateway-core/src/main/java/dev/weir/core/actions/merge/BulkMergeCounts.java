package dev.weir.core.actions.merge;

import java.util.concurrent.atomic.LongAdder;

/** What became of parts of small bulks. Safe on any thread. */
public final class BulkMergeCounts {
  private final LongAdder mergedParts = new LongAdder();
  private final LongAdder mergedCalls = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder waitingParts = new LongAdder();

  BulkMergeCounts() {}

  void recordMerged(int parts) {
    mergedParts.add(parts);
    mergedCalls.increment();
  }

  void recordMiss() {
    misses.increment();
  }

  void incrementWaiting() {
    waitingParts.increment();
  }

  void decrementWaiting() {
    waitingParts.decrement();
  }

  /** Parts that went to their shard together with others. */
  public long mergedParts() {
    return mergedParts.sum();
  }

  /** Calls that they went in. */
  public long mergedCalls() {
    return mergedCalls.sum();
  }

  /** Parts that waited, and went alone because no other came. */
  public long misses() {
    return misses.sum();
  }

  /** Parts that wait for others; zero at rest. */
  public long waitingParts() {
    return waitingParts.sum();
  }
}
