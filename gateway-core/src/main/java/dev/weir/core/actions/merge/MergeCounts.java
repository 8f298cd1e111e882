package dev.weir.core.actions.merge;

import java.util.concurrent.atomic.LongAdder;

/** What became of parts of small bulks. Safe on any thread. */
public final class MergeCounts {
  private final LongAdder merged = new LongAdder();
  private final LongAdder calls = new LongAdder();
  private final LongAdder inVain = new LongAdder();
  private final LongAdder waiting = new LongAdder();

  MergeCounts() {}

  void together(int parts) {
    merged.add(parts);
    calls.increment();
  }

  void waitedInVain() {
    inVain.increment();
  }

  void waits() {
    waiting.increment();
  }

  void waitsNoLonger() {
    waiting.decrement();
  }

  /** Parts that went to their shard together with others. */
  public long merged() {
    return merged.sum();
  }

  /** Calls that they went in. */
  public long calls() {
    return calls.sum();
  }

  /** Parts that waited, and went alone because no other came. */
  public long inVain() {
    return inVain.sum();
  }

  /** Parts that wait for others; zero at rest. */
  public long waiting() {
    return waiting.sum();
  }
}
