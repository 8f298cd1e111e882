package dev.weir.core.actions;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** How requests with a deadline ended. Safe on any thread. */
public final class DeadlineCounts {
  /** How one ended. */
  public enum DeadlineOutcome {
    /** It had its outcome in time. */
    MET,
    /** It had passed before anything was begun. */
    EXPIRED_ON_ARRIVAL,
    /** It passed while the request was under way. */
    EXCEEDED
  }

  private final Map<DeadlineOutcome, LongAdder> counts = new EnumMap<>(DeadlineOutcome.class);

  /** Starts at zero. */
  public DeadlineCounts() {
    for (DeadlineOutcome end : DeadlineOutcome.values()) {
      counts.put(end, new LongAdder());
    }
  }

  void increment(DeadlineOutcome end) {
    adder(end).increment();
  }

  /** How many ended so. */
  public long total(DeadlineOutcome end) {
    return adder(end).sum();
  }

  private LongAdder adder(DeadlineOutcome end) {
    LongAdder adder = counts.get(end);
    if (adder == null) {
      throw new IllegalStateException("got an end without a count (expected: one for each)");
    }
    return adder;
  }
}
