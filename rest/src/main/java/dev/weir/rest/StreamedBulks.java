package dev.weir.rest;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts the bulks that are carried out while they come. Safe on any thread. */
public final class StreamedBulks {
  private final LongSupplier nanoClock;
  private final LongAdder bulks = new LongAdder();
  private final LongAdder sections = new LongAdder();
  private final LongAdder left = new LongAdder();
  private final LongAdder cutShort = new LongAdder();

  /**
   * Starts at nothing.
   *
   * @param nanoClock such as {@link System#nanoTime()}
   */
  StreamedBulks(LongSupplier nanoClock) {
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
  public long leftToNodes() {
    return left.sum();
  }

  /** Those bulks that were not carried out to the end. */
  public long cutShort() {
    return cutShort.sum();
  }

  long now() {
    return nanoClock.getAsLong();
  }

  void begun() {
    bulks.increment();
  }

  void section() {
    sections.increment();
  }

  void left() {
    left.increment();
  }

  void shortened() {
    cutShort.increment();
  }
}
