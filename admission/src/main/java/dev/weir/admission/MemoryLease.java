package dev.weir.admission;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The account of one request in a {@link MemoryLedger}; closing gives back all it holds, once. Safe
 * on any thread.
 */
public final class MemoryLease implements AutoCloseable {
  private static final long CLOSED = -1;

  private final MemoryLedger ledger;
  private final AtomicLong held = new AtomicLong();

  MemoryLease(MemoryLedger ledger) {
    this.ledger = ledger;
  }

  /**
   * Takes more.
   *
   * @return false when the ledger has not that much left, or the lease is closed; nothing is taken
   *     then
   */
  public boolean take(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: 0 or more)");
    }
    if (!ledger.take(bytes)) {
      return false;
    }
    long before;
    do {
      before = held.get();
      if (before == CLOSED) {
        ledger.giveBack(bytes);
        return false;
      }
    } while (!held.compareAndSet(before, before + bytes));
    return true;
  }

  /** Gives a part back; at most what is held counts. */
  public void giveBack(long bytes) {
    long before;
    long back;
    do {
      before = held.get();
      if (before == CLOSED) {
        return;
      }
      back = Math.min(bytes, before);
    } while (!held.compareAndSet(before, before - back));
    ledger.giveBack(back);
  }

  /** Bytes held by this request. */
  public long held() {
    return Math.max(0, held.get());
  }

  @Override
  public void close() {
    long before = held.getAndSet(CLOSED);
    if (before != CLOSED) {
      ledger.giveBack(before);
    }
  }
}
