package dev.weir.protocol;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts the memory of received frames and reserves it from another budget. Safe on any thread. */
final class CountingFrameBudget implements FrameBudget {
  private final FrameBudget payer;
  private final LongAdder bytes = new LongAdder();
  private final LongAdder frames = new LongAdder();

  CountingFrameBudget(FrameBudget payer) {
    this.payer = payer;
  }

  @Override
  public @Nullable Exception reserve(long more) {
    return count(more, payer.reserve(more));
  }

  @Override
  public @Nullable Exception tryReserve(long more) {
    return count(more, payer.tryReserve(more));
  }

  private @Nullable Exception count(long more, @Nullable Exception refused) {
    if (refused == null) {
      bytes.add(more);
    }
    return refused;
  }

  @Override
  public void release(long less) {
    bytes.add(-less);
    payer.release(less);
  }

  /** Counts bytes that another budget reserves. */
  void countExternal(long more) {
    bytes.add(more);
  }

  void onFrameOpened() {
    frames.increment();
  }

  void onFrameClosed() {
    frames.decrement();
  }

  long bytes() {
    return bytes.sum();
  }

  long frames() {
    return frames.sum();
  }
}
