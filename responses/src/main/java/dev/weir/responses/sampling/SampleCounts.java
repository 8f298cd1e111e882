package dev.weir.responses.sampling;

import java.util.concurrent.atomic.LongAdder;

/** Counts sampled searches and the shards that they skipped. Safe on any thread. */
public final class SampleCounts {
  private final LongAdder searches = new LongAdder();
  private final LongAdder shardsQueried = new LongAdder();
  private final LongAdder shardsSkipped = new LongAdder();
  private final LongAdder rejections = new LongAdder();

  public SampleCounts() {}

  /** Counts a search that could not be sampled or that its policy forbids to sample. */
  public void recordRejection() {
    rejections.increment();
  }

  void recordSearch(int shards, int of) {
    searches.increment();
    shardsQueried.add(shards);
    shardsSkipped.add(of - (long) shards);
  }

  /** Returns the searches answered by estimates. */
  public long searches() {
    return searches.sum();
  }

  /** Returns the shards that sampled searches queried. */
  public long shardsQueried() {
    return shardsQueried.sum();
  }

  /** Returns the shards that sampled searches skipped. */
  public long shardsSkipped() {
    return shardsSkipped.sum();
  }

  /** Returns the searches that requested an estimate and got an error. */
  public long rejections() {
    return rejections.sum();
  }
}
