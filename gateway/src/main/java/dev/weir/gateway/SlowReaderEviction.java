package dev.weir.gateway;

import dev.weir.core.coordinate.DelayScheduler;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Has the slowest readers of responses give way to requests that lack the memory that they hold: at
 * once for a request that is rejected, and each second while requests wait. A wait of less than a
 * second is no reason to close a connection. Runs on any thread; never blocks.
 */
final class SlowReaderEviction {
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final Runnable evict;
  private final BooleanSupplier isAwaited;
  private final DelayScheduler scheduler;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /**
   * Creates the eviction.
   *
   * @param evict closes the slowest readers
   * @param isAwaited whether requests wait for the memory
   */
  SlowReaderEviction(Runnable evict, BooleanSupplier isAwaited, DelayScheduler scheduler) {
    this.evict = evict;
    this.isAwaited = isAwaited;
    this.scheduler = scheduler;
  }

  /** Called when a request was rejected. */
  void onRejection() {
    evict.run();
  }

  /** Called when a request is about to wait. */
  void onWait() {
    if (scheduled.compareAndSet(false, true)) {
      scheduler.schedule(INTERVAL, Runnable::run, this::evictWhileAwaited);
    }
  }

  private void evictWhileAwaited() {
    scheduled.set(false);
    if (isAwaited.getAsBoolean()) {
      evict.run();
      onWait();
    }
  }
}
