package dev.weir.admission;

import java.util.concurrent.atomic.AtomicBoolean;

/** A place among the requests in flight; given back once, however often it is closed. */
public final class Permit implements AutoCloseable {
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Runnable onClose;

  Permit(Runnable giveBack) {
    this.onClose = giveBack;
  }

  /** This one and another, given back together. */
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
