package dev.weir.responses.sampling;

import java.util.concurrent.atomic.LongAdder;

/** What sampling saved. Safe on any thread. */
public final class SampleCounts {
  private final LongAdder searches = new LongAdder();
  private final LongAdder shardsQueried = new LongAdder();
  private final LongAdder shardsSkipped = new LongAdder();
  private final LongAdder rejections = new LongAdder();

  /** Starts with nothing. */
  public SampleCounts() {}

  /** A search could not be sampled, or must not. */
  public void recordRejection() {
    rejections.increment();
  }

  void recordSearch(int shards, int of) {
    searches.increment();
    shardsQueried.add(shards);
    shardsSkipped.add(of - (long) shards);
  }

  /** Searches that were answered by estimates. */
  public long searches() {
    return searches.sum();
  }

  /** Shards that were asked for them. */
  public long shardsQueried() {
    return shardsQueried.sum();
  }

  /** Shards that were not asked for them. */
  public long shardsSkipped() {
    return shardsSkipped.sum();
  }

  /** Searches that asked for an estimate and got an error instead. */
  public long rejections() {
    return rejections.sum();
  }
}
