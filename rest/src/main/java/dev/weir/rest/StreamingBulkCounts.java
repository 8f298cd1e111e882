package dev.weir.rest;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts streaming bulks and their sections. Safe on any thread. */
public final class StreamingBulkCounts {
  private final LongSupplier nanoClock;
  private final LongAdder bulks = new LongAdder();
  private final LongAdder sections = new LongAdder();
  private final LongAdder forwardedSections = new LongAdder();
  private final LongAdder abortedBulks = new LongAdder();

  /**
   * Starts at zero.
   *
   * @param nanoClock for example {@link System#nanoTime()}
   */
  StreamingBulkCounts(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Returns the bulks with an executed first section. */
  public long bulks() {
    return bulks.sum();
  }

  /** Returns the executed sections. */
  public long sections() {
    return sections.sum();
  }

  /** Returns the sections that a node coordinated. */
  public long forwardedSections() {
    return forwardedSections.sum();
  }

  /** Returns the bulks that were aborted after their first section. */
  public long abortedBulks() {
    return abortedBulks.sum();
  }

  long nanoTime() {
    return nanoClock.getAsLong();
  }

  void recordBulk() {
    bulks.increment();
  }

  void recordSection() {
    sections.increment();
  }

  void recordForwarded() {
    forwardedSections.increment();
  }

  void recordAbort() {
    abortedBulks.increment();
  }
}
