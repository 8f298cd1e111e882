package dev.weir.gateway.http;

import org.jspecify.annotations.Nullable;

/**
 * What a body that is worked on while it comes may hold at once, paid for as a whole before it
 * begins: so what was begun can be finished. Confined to its event loop.
 */
final class BodyWindow implements BodyBudget {
  private final BodyBudget all;
  private final long size;
  private long used;
  private boolean closed;

  private BodyWindow(BodyBudget all, long size) {
    this.all = all;
    this.size = size;
  }

  /**
   * Pays for a window.
   *
   * @return null when there is no room for it
   */
  static @Nullable BodyWindow open(BodyBudget all, long size) {
    return all.tryCharge(size) ? new BodyWindow(all, size) : null;
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
      all.release(bytes);
    }
  }

  /** Nothing more is taken; what is in use is given back when it is released. */
  void close() {
    if (!closed) {
      closed = true;
      all.release(size - used);
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
