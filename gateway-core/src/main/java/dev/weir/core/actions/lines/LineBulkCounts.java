package dev.weir.core.actions.lines;

import java.util.concurrent.atomic.LongAdder;

/** Counts the bulks whose documents stay lines of their body. Safe on any thread. */
public final class LineBulkCounts {
  private final LongAdder bulks = new LongAdder();
  private final LongAdder documents = new LongAdder();

  /** Starts at zero. */
  public LineBulkCounts() {}

  /** Counts a bulk with so many documents. */
  public void record(int lines) {
    bulks.increment();
    documents.add(lines);
  }

  /** Returns how many bulks stayed lines. */
  public long bulks() {
    return bulks.sum();
  }

  /** Returns how many documents these bulks had. */
  public long documents() {
    return documents.sum();
  }
}
