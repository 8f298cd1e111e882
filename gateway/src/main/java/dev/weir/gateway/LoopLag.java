package dev.weir.gateway;

import dev.weir.observe.Metrics;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import dev.weir.protocol.EventLoops;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How late an event loop runs its tasks: while it is late, all that live on it wait. A task on the
 * loop looks ten times a second; the figure may be read on any thread.
 */
final class LoopLag implements Runnable {
  private static final Duration EVERY = Duration.ofMillis(100);

  /** The greatest delay is told for one to two of these: a scrape in between sees it. */
  private static final Duration WINDOW = Duration.ofSeconds(20);

  private static final double NANOS = 1e9;

  private final int loop;
  private final LongSupplier clock;
  private volatile long due;
  private volatile long greatest;
  private volatile long greatestBefore;
  private long windowEnd;

  /** Takes the loop to be on time now. */
  LoopLag(int loop, LongSupplier clock) {
    this.loop = loop;
    this.clock = clock;
    long now = clock.getAsLong();
    this.due = now + EVERY.toNanos();
    this.windowEnd = now + WINDOW.toNanos();
  }

  /** Looks at all loops from now on, and shows how late they are. */
  static void bind(EventLoops loops, Metrics metrics) {
    List<LoopLag> lags = new ArrayList<>();
    for (int i = 0; i < loops.size(); i++) {
      LoopLag lag = new LoopLag(i, System::nanoTime);
      lags.add(lag);
      loops
          .loop(i)
          .scheduleWithFixedDelay(lag, EVERY.toNanos(), EVERY.toNanos(), TimeUnit.NANOSECONDS);
    }
    metrics.table(
        new NodeTable<LoopLag>(
            () -> lags,
            lag -> Map.of("loop", Integer.toString(lag.loop)),
            List.of(
                Column.gauge(
                    "weir_event_loop_delay_seconds",
                    "How late an event loop ran a task, at most, in the last half minute or so",
                    lag -> lag.greatestNanos() / NANOS))));
  }

  /** On the loop, when its time has come. */
  @Override
  public void run() {
    long now = clock.getAsLong();
    if (now - windowEnd >= 0) {
      greatestBefore = greatest;
      greatest = 0;
      windowEnd = now + WINDOW.toNanos();
    }
    greatest = Math.max(greatest, now - due);
    due = now + EVERY.toNanos();
  }

  /** The greatest delay lately, also that of a task that has not been run yet. */
  long greatestNanos() {
    long overdue = clock.getAsLong() - due;
    return Math.max(Math.max(greatest, greatestBefore), Math.max(overdue, 0));
  }
}
