package dev.weir.http.body;

import org.jspecify.annotations.Nullable;

/**
 * The memory that one streamed body may hold at a time. The whole window is charged to the budget
 * before the body's first section is handed out, so that a body that was started can be completed.
 * The window also counts as pending: {@link PendingBodyTracker} bounds what slow clients can keep
 * from other bodies. Confined to its event loop.
 */
final class BodyWindow implements BodyBudget {
  private final BodyBudget parent;
  private final PendingBodyTracker pendingBodies;
  private final long size;
  private long used;
  private boolean closed;

  private BodyWindow(BodyBudget all, PendingBodyTracker pendingBodies, long size) {
    this.parent = all;
    this.pendingBodies = pendingBodies;
    this.size = size;
  }

  /**
   * Charges a window of {@code size} bytes.
   *
   * @param pendingBodies the pending bytes of all clients
   * @return null when the budget or the bound of pending bytes would be exceeded
   */
  static @Nullable BodyWindow open(BodyBudget all, PendingBodyTracker pendingBodies, long size) {
    if (!pendingBodies.tryAdd(size)) {
      return null;
    }
    if (!all.tryCharge(size)) {
      pendingBodies.remove(size);
      return null;
    }
    return new BodyWindow(all, pendingBodies, size);
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

  /** Refuses further charges. Bytes in use return to the parent budget when they are released. */
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
