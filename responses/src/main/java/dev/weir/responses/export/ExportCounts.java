package dev.weir.responses.export;

import dev.weir.model.BoundedCounter;
import java.util.concurrent.atomic.LongAdder;

/** Counts exports by outcome, and their pages. Safe on any thread. */
public final class ExportCounts {
  /** The outcome of an export. */
  public enum End {
    /** The gateway sent all rows, or as many as the request wanted. */
    COMPLETE,
    /** The export failed: it was rejected or aborted. */
    FAILED,
    /** The client disconnected. */
    CLIENT_DISCONNECTED,
    /** The maximum number of exports was already active, in all or of the client's address. */
    REJECTED
  }

  private final BoundedCounter active = new BoundedCounter();
  private final LongAdder[] endCounts = {
    new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder()
  };
  private final LongAdder rows = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder pages = new LongAdder();
  private final LongAdder retries = new LongAdder();

  public ExportCounts() {}

  /** Starts an export unless {@code maxActive} are active; returns true if it started. */
  boolean tryBegin(int maxActive) {
    boolean started = active.tryAdd(1, maxActive);
    if (!started) {
      endCounts[End.REJECTED.ordinal()].increment();
    }
    return started;
  }

  /** Counts an export that was rejected because of its client's share. */
  void recordRejection() {
    endCounts[End.REJECTED.ordinal()].increment();
  }

  /** Ends an export that was started. */
  void recordEnd(End outcome) {
    active.subtract(1);
    endCounts[outcome.ordinal()].increment();
  }

  void recordPage(int ofRows, long ofBytes) {
    pages.increment();
    rows.add(ofRows);
    bytes.add(ofBytes);
  }

  /** Counts a retry of a rejected page. */
  void recordRetry() {
    retries.increment();
  }

  /** Returns the number of active exports. */
  public int active() {
    return Math.toIntExact(active.get());
  }

  /** Returns the number of exports with this outcome. */
  public long countOf(End outcome) {
    return endCounts[outcome.ordinal()].sum();
  }

  public long rows() {
    return rows.sum();
  }

  /** Returns the bytes of responses before content encoding. */
  public long bytes() {
    return bytes.sum();
  }

  public long pages() {
    return pages.sum();
  }

  /** Returns the number of page retries. */
  public long retries() {
    return retries.sum();
  }
}
