package dev.weir.admission;

import java.util.concurrent.atomic.AtomicBoolean;

/** A place among the requests in flight. The first close gives it back; further ones do nothing. */
public final class Permit implements AutoCloseable {
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Runnable onClose;

  Permit(Runnable giveBack) {
    this.onClose = giveBack;
  }

  /** A permit that closes this one and another. */
  public Permit combine(Permit other) {
    return new Permit(() -> {
      close();
      other.close();
    });
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      onClose.run();
    }
  }
}
