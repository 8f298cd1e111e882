package dev.weir.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of bodies that clients have announced, that are paid for, and that have not come, and
 * the windows of those that are worked on while they come: a bounded amount, so that clients that
 * announce much and send nothing keep no room from those that send. Safe on any thread.
 */
final class Promises {
  private final long most;
  private final AtomicLong open = new AtomicLong();

  /** Makes one without promises. */
  Promises(long most) {
    this.most = most;
  }

  /** Counts a promise; false when there are too many. */
  boolean tryMake(long bytes) {
    if (open.addAndGet(bytes) > most) {
      open.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  /** Bytes have come, or won't. */
  void settle(long bytes) {
    open.addAndGet(-bytes);
  }

  /** Bytes promised now. */
  long open() {
    return open.get();
  }
}
