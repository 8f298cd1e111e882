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
    GONE,
    /** As many were under way as may be. */
    REFUSED
  }

  private final AtomicInteger underWay = new AtomicInteger();
  private final LongAdder[] ends = {
    new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder()
  };
  private final LongAdder rows = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder pages = new LongAdder();
  private final LongAdder retries = new LongAdder();

  /** Starts at nothing. */
  public ExportCounts() {}

  /** Begins one, unless as many are under way as may be; whether it did. */
  boolean begin(int most) {
    if (underWay.incrementAndGet() <= most) {
      return true;
    }
    underWay.decrementAndGet();
    ends[End.REFUSED.ordinal()].increment();
    return false;
  }

  /** One that was begun ends. */
  void end(End how) {
    underWay.decrementAndGet();
    ends[how.ordinal()].increment();
  }

  /** A page was made. */
  void page(int ofRows, long ofBytes) {
    pages.increment();
    rows.add(ofRows);
    bytes.add(ofBytes);
  }

  /** A page that was refused is asked for again. */
  void retry() {
    retries.increment();
  }

  /** How many are under way. */
  public int underWay() {
    return underWay.get();
  }

  /** How many ended so. */
  public long of(End how) {
    return ends[how.ordinal()].sum();
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
