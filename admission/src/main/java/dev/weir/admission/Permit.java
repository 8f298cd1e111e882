package dev.weir.admission;

import java.util.concurrent.atomic.AtomicBoolean;

/** A place among the requests in flight; given back once, however often it is closed. */
public final class Permit implements AutoCloseable {
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Runnable giveBack;

  Permit(Runnable giveBack) {
    this.giveBack = giveBack;
  }

  /** This one and another, given back together. */
  public Permit and(Permit other) {
    return new Permit(() -> {
      close();
      other.close();
    });
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      giveBack.run();
    }
  }
}
