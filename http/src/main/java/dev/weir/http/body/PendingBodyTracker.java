package dev.weir.http.body;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of bodies that clients have announced, that are paid for, and that have not come, and
 * the windows of those that are worked on while they come: a bounded amount, so that clients that
 * announce much and send nothing keep no room from those that send. Safe on any thread.
 */
public final class PendingBodyTracker {
  private final long maxBytes;
  private final AtomicLong pendingBytes = new AtomicLong();

  /** Makes one without promises. */
  public PendingBodyTracker(long most) {
    this.maxBytes = most;
  }

  /** Counts a promise; false when there are too many. */
  boolean tryAdd(long bytes) {
    if (pendingBytes.addAndGet(bytes) > maxBytes) {
      pendingBytes.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  /** Bytes have come, or won't. */
  void remove(long bytes) {
    pendingBytes.addAndGet(-bytes);
  }

  /** Bytes promised now. */
  long pendingBytes() {
    return pendingBytes.get();
  }
}
