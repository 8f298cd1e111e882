package dev.weir.core.actions.deadline;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of requests with a deadline. Safe on any thread. */
public final class DeadlineCounts {
  /** An outcome. */
  public enum DeadlineOutcome {
    /** The request ended in time. */
    MET,
    /** The deadline had passed before the request started. */
    EXPIRED_ON_ARRIVAL,
    /** The deadline passed while the request ran. */
    EXCEEDED
  }

  private final Map<DeadlineOutcome, LongAdder> counts = new EnumMap<>(DeadlineOutcome.class);

  /** Starts at zero. */
  public DeadlineCounts() {
    for (DeadlineOutcome end : DeadlineOutcome.values()) {
      counts.put(end, new LongAdder());
    }
  }

  /** Counts a request with this outcome. */
  public void increment(DeadlineOutcome end) {
    adder(end).increment();
  }

  /** Requests with this outcome. */
  public long total(DeadlineOutcome end) {
    return adder(end).sum();
  }

  private LongAdder adder(DeadlineOutcome end) {
    LongAdder adder = counts.get(end);
    if (adder == null) {
      throw new IllegalStateException("got no count of " + end + " (expected: of each outcome)");
    }
    return adder;
  }
}
