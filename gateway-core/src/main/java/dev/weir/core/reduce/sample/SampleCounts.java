package dev.weir.core.reduce.sample;

import java.util.concurrent.atomic.LongAdder;

/** What sampling saved. Safe on any thread. */
public final class SampleCounts {
  private final LongAdder searches = new LongAdder();
  private final LongAdder asked = new LongAdder();
  private final LongAdder leftOut = new LongAdder();
  private final LongAdder refused = new LongAdder();

  /** Starts with nothing. */
  public SampleCounts() {}

  /** A search could not be sampled, or must not. */
  public void refuse() {
    refused.increment();
  }

  void answered(int shards, int of) {
    searches.increment();
    asked.add(shards);
    leftOut.add(of - (long) shards);
  }

  /** Searches that were answered by estimates. */
  public long searches() {
    return searches.sum();
  }

  /** Shards that were asked for them. */
  public long shardsAsked() {
    return asked.sum();
  }

  /** Shards that were not asked for them. */
  public long shardsLeftOut() {
    return leftOut.sum();
  }

  /** Searches that asked for an estimate and got an error instead. */
  public long refused() {
    return refused.sum();
  }
}
