package dev.weir.core.actions.warmup;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Counts the repeated searches of new copies. Safe on any thread. */
public final class WarmUpCounts {
  private final LongAdder requests = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder nanos = new LongAdder();
  private final AtomicInteger warming = new AtomicInteger();
  private final AtomicLongArray ended = new AtomicLongArray(WarmUpEnd.values().length);

  /** Starts at zero. */
  public WarmUpCounts() {}

  void recordStart() {
    warming.incrementAndGet();
  }

  void recordEnd(WarmUpEnd reason) {
    warming.decrementAndGet();
    ended.incrementAndGet(reason.ordinal());
  }

  void recordRequest() {
    requests.increment();
  }

  void recordResponse(long tookNanos) {
    nanos.add(tookNanos);
  }

  void recordFailure() {
    failures.increment();
  }

  /** Returns how many copies are warmed now. */
  public int warming() {
    return warming.get();
  }

  /** Returns for how many copies the warm-up ended for this reason. */
  public long ended(WarmUpEnd reason) {
    return ended.get(reason.ordinal());
  }

  /** Returns how many repeated searches were sent. */
  public long requests() {
    return requests.sum();
  }

  /** Returns how many repeated searches failed. */
  public long failures() {
    return failures.sum();
  }

  /** Returns how long all repeated searches that had a response took together, in seconds. */
  public double seconds() {
    return nanos.sum() / 1e9;
  }
}
