package dev.weir.gateway.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/**
 * Bounds how often one place in the code logs, so that clients and failing nodes can't fill a disk:
 * {@value #MAX_LINES} lines in ten seconds, of which a line with a stack trace counts as {@value
 * #TRACE_LINES}. The rest is left out, at no more cost than a look-up, and counted: one line at the
 * end of the ten seconds says how many there were. The access log and the audit log are exempt:
 * they have a line for each request and for each change.
 *
 * <p>A place is a logger of the gateway with a level and a pattern. Other loggers, such as
 * OpenSearch's, format their messages beforehand: there, a logger with a level is one place. Safe
 * on any thread.
 */
final class LogRateLimitFilter extends TurboFilter {
  static final int MAX_LINES = 20;
  static final int TRACE_LINES = 5;
  static final Duration INTERVAL = Duration.ofSeconds(10);

  /** The loggers of the access log and of the audit log. */
  private static final String RECORDS = "weir.";

  private static final String OWN_LOGGERS = "dev.weir.";

  /** Beyond this number of places the patterns of a logger share one. */
  private static final int MAX_PLACES = 500;

  /** The longest part of a pattern that a summary shows. */
  private static final int MAX_PATTERN_CHARS = 200;

  private final LongSupplier nanoTime;
  private final Map<Place, Usage> places = new ConcurrentHashMap<>();
  private final LongAdder suppressed = new LongAdder();

  private record Place(String logger, Level level, String pattern) {}

  /**
   * Creates a filter.
   *
   * @param nanoTime {@link System#nanoTime}
   */
  LogRateLimitFilter(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public FilterReply decide(
      @Nullable Marker marker,
      Logger logger,
      Level level,
      @Nullable String format,
      Object @Nullable [] params,
      @Nullable Throwable failure) {
    if (format == null // only asks whether the level is enabled
        || !level.isGreaterOrEqual(logger.getEffectiveLevel())
        || logger.getName().startsWith(RECORDS)) {
      return FilterReply.NEUTRAL;
    }
    if (failure != null && RestFailureLog.logWithoutTrace(logger, level, format, failure)) {
      return FilterReply.DENY;
    }
    int lines = failure == null && !endsWithThrowable(params) ? 1 : TRACE_LINES;
    if (usage(logger, level, format).take(lines, nanoTime.getAsLong())) {
      return FilterReply.NEUTRAL;
    }
    suppressed.increment();
    return FilterReply.DENY;
  }

  private static boolean endsWithThrowable(Object @Nullable [] params) {
    return params != null && params.length > 0 && params[params.length - 1] instanceof Throwable;
  }

  private Usage usage(Logger logger, Level level, String format) {
    String name = logger.getName();
    Place exact = new Place(name, level, name.startsWith(OWN_LOGGERS) ? format : "");
    Usage known = places.get(exact);
    if (known != null) {
      return known;
    }
    Place place = places.size() < MAX_PLACES ? exact : new Place(name, level, "");
    return places.computeIfAbsent(place, _ -> new Usage(logger));
  }

  /** Returns how many lines were left out. */
  long suppressedLines() {
    return suppressed.sum();
  }

  /**
   * Creates a line for each place that left lines out in an interval that has ended, and forgets
   * places that log nothing. Called by one thread.
   *
   * @param force whether intervals end now
   */
  void summarize(boolean force, Consumer<ILoggingEvent> writer) {
    long now = nanoTime.getAsLong();
    Iterator<Map.Entry<Place, Usage>> each = places.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<Place, Usage> entry = each.next();
      long left = entry.getValue().endInterval(force, now);
      if (left > 0) {
        writer.accept(summary(entry.getKey(), entry.getValue().logger, left));
      } else if (left == Usage.IDLE) {
        each.remove(); // a line that is logged meanwhile starts a new interval
      }
    }
  }

  private static ILoggingEvent summary(Place place, Logger logger, long left) {
    String pattern =
        place.pattern().length() > MAX_PATTERN_CHARS
            ? place.pattern().substring(0, MAX_PATTERN_CHARS) + "..."
            : place.pattern();
    return new LoggingEvent(
        LogRateLimitFilter.class.getName(),
        logger,
        place.level(),
        "left out {} more lines within {} s{}",
        null,
        new Object[] {left, INTERVAL.toSeconds(), pattern.isEmpty() ? "" : " like: " + pattern});
  }

  /** What a place logged in the present interval. */
  private static final class Usage {
    /** No line was logged since the interval ended. */
    static final long IDLE = -1;

    private final Logger logger;
    private long startNanos;
    private int used;
    private long leftOut;

    Usage(Logger logger) {
      this.logger = logger;
    }

    synchronized boolean take(int lines, long now) {
      if (used > 0 && now - startNanos >= INTERVAL.toNanos() && leftOut == 0) {
        used = 0;
      }
      if (used == 0) {
        startNanos = now;
      }
      if (used + lines <= MAX_LINES) {
        used += lines;
        return true;
      }
      leftOut++;
      return false;
    }

    /** Returns the lines that were left out, if the interval is over; 0 if it is not. */
    synchronized long endInterval(boolean force, long now) {
      if (!force && now - startNanos < INTERVAL.toNanos()) {
        return 0;
      }
      long left = leftOut == 0 ? IDLE : leftOut;
      leftOut = 0;
      used = 0;
      return left;
    }
  }
}
