package dev.weir.protocol;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts the memory of received frames on its way to the budget that pays. Any thread. */
final class HeldFrames implements FrameBudget {
  private final FrameBudget payer;
  private final LongAdder bytes = new LongAdder();
  private final LongAdder frames = new LongAdder();

  HeldFrames(FrameBudget payer) {
    this.payer = payer;
  }

  @Override
  public @Nullable Exception reserve(long more) {
    Exception refused = payer.reserve(more);
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

  /** Counts what another budget pays for. */
  void noted(long more) {
    bytes.add(more);
  }

  void opened() {
    frames.increment();
  }

  void closed() {
    frames.decrement();
  }

  long bytes() {
    return bytes.sum();
  }

  long frames() {
    return frames.sum();
  }
}
