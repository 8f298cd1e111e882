package dev.weir.http.body;

import dev.weir.model.BoundedCounter;

/**
 * Counts pending bytes: bytes that are charged to the budget because clients announced them and
 * that have not arrived, and the windows of streamed bodies. The count is bounded, so that clients
 * that announce much and send nothing leave memory to others. Safe on any thread.
 */
public final class PendingBodyTracker {
  private final long maxBytes;
  private final BoundedCounter pendingBytes = new BoundedCounter();

  public PendingBodyTracker(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Adds pending bytes; returns false, without a change, when the bound would be exceeded. */
  boolean tryAdd(long bytes) {
    return pendingBytes.tryAdd(bytes, maxBytes);
  }

  /** Removes pending bytes that have arrived, or will not arrive. */
  void remove(long bytes) {
    pendingBytes.subtract(bytes);
  }

  /** Returns the pending bytes of all clients. */
  long pendingBytes() {
    return pendingBytes.get();
  }
}
