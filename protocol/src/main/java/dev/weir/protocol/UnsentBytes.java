package dev.weir.protocol;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the memory of frames that wait for their sockets, over all channels of a client. Safe on
 * any thread.
 */
final class UnsentBytes {
  private final long most;
  private final AtomicLong held = new AtomicLong();

  UnsentBytes(long most) {
    this.most = most;
  }

  /** Takes a frame's bytes; false when there is no room for them, and nothing is taken then. */
  boolean take(int bytes) {
    if (held.addAndGet(bytes) <= most) {
      return true;
    }
    giveBack(bytes);
    return false;
  }

  void giveBack(int bytes) {
    held.addAndGet(-bytes);
  }

  /** Bytes that wait now; zero at rest. */
  long held() {
    return held.get();
  }

  /** The most that may wait. */
  long most() {
    return most;
  }
}
