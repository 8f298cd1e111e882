package dev.weir.gateway.stats;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
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
public final class EventLoopLagMonitor implements Runnable {
  private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);

  /** The greatest delay is told for one to two of these: a scrape in between sees it. */
  private static final Duration WINDOW = Duration.ofSeconds(20);

  private static final double NANOS = 1e9;

  private final int loop;
  private final LongSupplier clock;
  private volatile long dueNanos;
  private volatile long maxNanos;
  private volatile long previousMaxNanos;
  private long windowEnd;

  /** Takes the loop to be on time now. */
  EventLoopLagMonitor(int loop, LongSupplier clock) {
    this.loop = loop;
    this.clock = clock;
    long now = clock.getAsLong();
    this.dueNanos = now + SAMPLE_INTERVAL.toNanos();
    this.windowEnd = now + WINDOW.toNanos();
  }

  /** Looks at all loops from now on, and shows how late they are. */
  public static void bind(EventLoops loops, MetricRegistry metrics) {
    List<EventLoopLagMonitor> lags = new ArrayList<>();
    for (int i = 0; i < loops.size(); i++) {
      EventLoopLagMonitor lag = new EventLoopLagMonitor(i, System::nanoTime);
      lags.add(lag);
      loops
          .loop(i)
          .scheduleWithFixedDelay(
              lag, SAMPLE_INTERVAL.toNanos(), SAMPLE_INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
    }
    metrics.table(
        new MetricTable<EventLoopLagMonitor>(
            () -> lags,
            lag -> Map.of("loop", Integer.toString(lag.loop)),
            List.of(
                Column.gauge(
                    "weir_event_loop_delay_seconds",
                    "How late an event loop ran a task, at most, in the last half minute or so",
                    lag -> lag.maxDelayNanos() / NANOS))));
  }

  /** On the loop, when its time has come. */
  @Override
  public void run() {
    long now = clock.getAsLong();
    if (now - windowEnd >= 0) {
      previousMaxNanos = maxNanos;
      maxNanos = 0;
      windowEnd = now + WINDOW.toNanos();
    }
    maxNanos = Math.max(maxNanos, now - dueNanos);
    dueNanos = now + SAMPLE_INTERVAL.toNanos();
  }

  /** The greatest delay lately, also that of a task that has not been run yet. */
  long maxDelayNanos() {
    long overdue = clock.getAsLong() - dueNanos;
    return Math.max(Math.max(maxNanos, previousMaxNanos), Math.max(overdue, 0));
  }
}
