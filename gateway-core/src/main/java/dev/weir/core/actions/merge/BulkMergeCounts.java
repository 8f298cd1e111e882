package dev.weir.core.actions.merge;

import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of mergeable bulks. Safe on any thread. */
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

  /** Returns the parts that were sent together with others. */
  public long mergedParts() {
    return mergedParts.sum();
  }

  /** Returns the calls that contained these parts. */
  public long mergedCalls() {
    return mergedCalls.sum();
  }

  /** Returns the parts that waited and were sent alone because no other arrived. */
  public long misses() {
    return misses.sum();
  }

  /** Returns the parts that are waiting; zero at rest. */
  public long waitingParts() {
    return waitingParts.sum();
  }
}
