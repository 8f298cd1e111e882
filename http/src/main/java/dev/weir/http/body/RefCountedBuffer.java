package dev.weir.http.body;

/**
 * An array that several have at once: each section that lies in it, and who fills it. It is given
 * back when all have let go. Confined to its event loop.
 */
final class RefCountedBuffer {
  private final AccountedBuffer buffer;
  private int refCount = 1;
  private boolean mayStillBeRead;

  /**
   * Makes one that its maker holds.
   *
   * @param array owned
   */
  RefCountedBuffer(AccountedBuffer array) {
    this.buffer = array;
  }

  AccountedBuffer buffer() {
    return buffer;
  }

  /** One more holds it. */
  RefCountedBuffer retain() {
    refCount++;
    return this;
  }

  /** One that held it does not read it any more. */
  void release() {
    if (--refCount > 0) {
      return;
    }
    if (mayStillBeRead) {
      buffer.leaveToGarbageCollector();
    } else {
      buffer.release();
    }
  }

  /** One that held it lets go, and somebody may still read it. */
  void leaveToGarbageCollector() {
    mayStillBeRead = true;
    release();
  }
}
