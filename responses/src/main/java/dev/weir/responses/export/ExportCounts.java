package dev.weir.responses.export;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What became of exports. Safe on any thread. */
public final class ExportCounts {
  /** How an export ends. */
  public enum End {
    /** All rows were sent, or as many as were asked for. */
    COMPLETE,
    /** It could not go on, and was refused or broken off. */
    FAILED,
    /** Its client went away. */
    CLIENT_DISCONNECTED,
    /** As many were under way as may be. */
    REJECTED
  }

  private final AtomicInteger active = new AtomicInteger();
  private final LongAdder[] endCounts = {
    new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder()
  };
  private final LongAdder rows = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder pages = new LongAdder();
  private final LongAdder retries = new LongAdder();

  /** Starts at nothing. */
  public ExportCounts() {}

  /** Begins one, unless as many are under way as may be; whether it did. */
  boolean tryBegin(int most) {
    if (active.incrementAndGet() <= most) {
      return true;
    }
    active.decrementAndGet();
    endCounts[End.REJECTED.ordinal()].increment();
    return false;
  }

  /** One that was begun ends. */
  void recordEnd(End how) {
    active.decrementAndGet();
    endCounts[how.ordinal()].increment();
  }

  /** A page was made. */
  void recordPage(int ofRows, long ofBytes) {
    pages.increment();
    rows.add(ofRows);
    bytes.add(ofBytes);
  }

  /** A page that was refused is asked for again. */
  void recordRetry() {
    retries.increment();
  }

  /** How many are under way. */
  public int active() {
    return active.get();
  }

  /** How many ended so. */
  public long countOf(End how) {
    return endCounts[how.ordinal()].sum();
  }

  public long rows() {
    return rows.sum();
  }

  /** Bytes of answers before they were encoded. */
  public long bytes() {
    return bytes.sum();
  }

  public long pages() {
    return pages.sum();
  }

  /** Pages that were asked for again. */
  public long retries() {
    return retries.sum();
  }
}
