package dev.weir.http.body;

/**
 * A reference-counted {@link AccountedBuffer}: shared by the sections that lie in it and the body
 * that fills it. Released with its last reference. Confined to its event loop.
 */
final class RefCountedBuffer {
  private final AccountedBuffer buffer;
  private int refCount = 1;
  private boolean mayStillBeRead;

  /**
   * Creates a buffer with one reference, held by the caller.
   *
   * @param array owned
   */
  RefCountedBuffer(AccountedBuffer array) {
    this.buffer = array;
  }

  AccountedBuffer buffer() {
    return buffer;
  }

  RefCountedBuffer retain() {
    refCount++;
    return this;
  }

  /** Releases a reference whose holder no longer reads the buffer. */
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

  /**
   * Releases a reference while something may still read the buffer, whose memory is then not
   * reused.
   */
  void leaveToGarbageCollector() {
    mayStillBeRead = true;
    release();
  }
}
