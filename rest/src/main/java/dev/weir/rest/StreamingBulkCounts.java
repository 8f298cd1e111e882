package dev.weir.rest;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts the bulks that are carried out while they come. Safe on any thread. */
public final class StreamingBulkCounts {
  private final LongSupplier nanoClock;
  private final LongAdder bulks = new LongAdder();
  private final LongAdder sections = new LongAdder();
  private final LongAdder forwardedSections = new LongAdder();
  private final LongAdder abortedBulks = new LongAdder();

  /**
   * Starts at nothing.
   *
   * @param nanoClock such as {@link System#nanoTime()}
   */
  StreamingBulkCounts(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Bulks whose first section was carried out. */
  public long bulks() {
    return bulks.sum();
  }

  /** Their sections that were carried out. */
  public long sections() {
    return sections.sum();
  }

  /** Sections of which a node did a coordinating node's work. */
  public long forwardedSections() {
    return forwardedSections.sum();
  }

  /** Those bulks that were not carried out to the end. */
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
