package dev.weir.node.load;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Keeps the process's load, measured at most twice a second and only while it is asked for. Safe on
 * any thread.
 */
final class ProcessSampler {
  private static final long MAX_AGE_NANOS = 500_000_000;

  private final LongSupplier nanoTime;
  private final Executor executor;
  private final IntSupplier merges;
  private final AtomicBoolean measuring = new AtomicBoolean();
  private volatile Sample newest;

  /** A load, and when it was measured. */
  private record Sample(ProcessLoad load, long atNanos) {}

  /**
   * Creates a sampler that knows nothing.
   *
   * @param executor where it measures
   * @param merges counts the running merges
   */
  ProcessSampler(LongSupplier nanoTime, Executor executor, IntSupplier merges) {
    this.nanoTime = nanoTime;
    this.executor = executor;
    this.merges = merges;
    this.newest = new Sample(ProcessLoad.UNKNOWN, nanoTime.getAsLong() - MAX_AGE_NANOS);
  }

  /** Returns the newest load; if it is old, has a new one measured for later callers. */
  ProcessLoad load() {
    Sample known = newest;
    if (nanoTime.getAsLong() - known.atNanos() >= MAX_AGE_NANOS
        && measuring.compareAndSet(false, true)) {
      try {
        executor.execute(this::measure);
      } catch (RejectedExecutionException stopping) {
        measuring.set(false);
      }
    }
    return known.load();
  }

  private void measure() {
    try {
      newest = new Sample(ProcessLoad.measure(merges.getAsInt()), nanoTime.getAsLong());
    } finally {
      measuring.set(false);
    }
  }
}
