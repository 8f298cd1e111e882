package dev.weir.core.actions;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** How requests with a deadline ended. Safe on any thread. */
public final class DeadlineCounts {
  /** How one ended. */
  public enum End {
    /** It had its outcome in time. */
    MET,
    /** It had passed before anything was begun. */
    TOO_LATE,
    /** It passed while the request was under way. */
    PASSED
  }

  private final Map<End, LongAdder> counts = new EnumMap<>(End.class);

  /** Starts at zero. */
  public DeadlineCounts() {
    for (End end : End.values()) {
      counts.put(end, new LongAdder());
    }
  }

  void count(End end) {
    adder(end).increment();
  }

  /** How many ended so. */
  public long of(End end) {
    return adder(end).sum();
  }

  private LongAdder adder(End end) {
    LongAdder adder = counts.get(end);
    if (adder == null) {
      throw new IllegalStateException("got an end without a count (expected: one for each)");
    }
    return adder;
  }
}
