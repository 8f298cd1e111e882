package dev.weir.admission;

import java.util.concurrent.atomic.AtomicBoolean;

/** Counts one request as in flight until the first close; further closes have no effect. */
public final class Permit implements AutoCloseable {
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Runnable onClose;

  Permit(Runnable giveBack) {
    this.onClose = giveBack;
  }

  /** Returns a permit that closes this one and another. */
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
