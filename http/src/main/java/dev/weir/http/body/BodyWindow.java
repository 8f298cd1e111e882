package dev.weir.http.body;

import org.jspecify.annotations.Nullable;

/**
 * What a body that is worked on while it comes may hold at once, paid for as a whole before it
 * begins: so what was begun can be finished. It counts as promised by its client: so those whose
 * clients send slowly, or nothing, keep no room from other bodies. Confined to its event loop.
 */
final class BodyWindow implements BodyBudget {
  private final BodyBudget parent;
  private final PendingBodyTracker pendingBodies;
  private final long size;
  private long used;
  private boolean closed;

  private BodyWindow(BodyBudget all, PendingBodyTracker promises, long size) {
    this.parent = all;
    this.pendingBodies = promises;
    this.size = size;
  }

  /**
   * Pays for a window.
   *
   * @param promises of all clients
   * @return null when there is no room for it, or too much is promised
   */
  static @Nullable BodyWindow open(BodyBudget all, PendingBodyTracker promises, long size) {
    if (!promises.tryAdd(size)) {
      return null;
    }
    if (!all.tryCharge(size)) {
      promises.remove(size);
      return null;
    }
    return new BodyWindow(all, promises, size);
  }

  @Override
  public boolean tryCharge(long bytes) {
    if (closed || bytes > size - used) {
      return false;
    }
    used += bytes;
    return true;
  }

  @Override
  public void release(long bytes) {
    used -= bytes;
    if (closed) {
      parent.release(bytes);
    }
  }

  /** Nothing more is taken; what is in use is given back when it is released. */
  void close() {
    if (!closed) {
      closed = true;
      pendingBodies.remove(size);
      parent.release(size - used);
    }
  }

  @Override
  public long used() {
    return used;
  }

  @Override
  public long limit() {
    return size;
  }
}
