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
 * Measures how late an event loop runs its tasks: while it is late, all requests on it wait. A task
 * on the loop measures ten times a second; the result may be read on any thread.
 */
public final class EventLoopLagMonitor implements Runnable {
  private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);

  /** A delay is reported for one to two windows, so that a scrape sees it. */
  private static final Duration WINDOW = Duration.ofSeconds(20);

  private static final double NANOS = 1e9;

  private final int loop;
  private final LongSupplier clock;
  private volatile long dueNanos;
  private volatile long maxNanos;
  private volatile long previousMaxNanos;
  private long windowEnd;

  /** Starts with a loop that is on time. */
  EventLoopLagMonitor(int loop, LongSupplier clock) {
    this.loop = loop;
    this.clock = clock;
    long now = clock.getAsLong();
    this.dueNanos = now + SAMPLE_INTERVAL.toNanos();
    this.windowEnd = now + WINDOW.toNanos();
  }

  /** Starts to measure all loops, and registers the metrics of loops. */
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
    metrics.gauge(
        "weir_event_loops_in_use",
        "Event loops that get new connections: as few as carry the load",
        loops::loopsInUse);
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

  /** Called on the loop, at each interval. */
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

  /** The longest delay in the window, including that of a task that has not run yet. */
  long maxDelayNanos() {
    long overdue = clock.getAsLong() - dueNanos;
    return Math.max(Math.max(maxNanos, previousMaxNanos), Math.max(overdue, 0));
  }
}
