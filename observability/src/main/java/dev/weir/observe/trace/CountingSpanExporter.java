package dev.weir.observe.trace;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the exports of another exporter and logs failures, at most once a minute. Safe on any
 * thread.
 */
final class CountingSpanExporter implements SpanExporter {
  private static final Logger LOGGER = LoggerFactory.getLogger(CountingSpanExporter.class);
  private static final long LOG_INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

  private final SpanExporter next;
  private final SpanCounters counts;
  private final LongSupplier nanoClock;
  private final AtomicLong nextLogNanos;

  CountingSpanExporter(SpanExporter next, SpanCounters counts, LongSupplier nanoClock) {
    this.next = next;
    this.counts = counts;
    this.nanoClock = nanoClock;
    this.nextLogNanos = new AtomicLong(nanoClock.getAsLong());
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    int size = spans.size();
    CompletableResultCode result = tryExport(spans);
    return result.whenComplete(() -> {
      counts.recordSent(size, result.isSuccess());
      if (!result.isSuccess()) {
        logFailure(result.getFailureThrowable());
      }
    });
  }

  private CompletableResultCode tryExport(Collection<SpanData> spans) {
    try {
      return next.export(spans);
    } catch (RuntimeException e) {
      return CompletableResultCode.ofExceptionalFailure(e);
    }
  }

  private void logFailure(@Nullable Throwable failure) {
    long now = nanoClock.getAsLong();
    long until = nextLogNanos.get();
    if (now - until >= 0 && nextLogNanos.compareAndSet(until, now + LOG_INTERVAL_NANOS)) {
      LOGGER.warn(
          "spans could not be sent, {} so far, and {} were dropped: {}",
          counts.exportFailures(),
          counts.dropped(),
          reason(failure));
    }
  }

  /** The network error, otherwise the library's message, which has the collector's status. */
  private static String reason(@Nullable Throwable failure) {
    Throwable at = failure;
    for (int depth = 0; at != null && depth < 10; depth++) {
      if (at instanceof IOException) {
        return at.toString();
      }
      at = at.getCause();
    }
    String message = OpenTelemetryLogHandler.lastMessage();
    return !message.isEmpty()
        ? message
        : failure == null ? "no reason is known" : failure.toString();
  }

  @Override
  public CompletableResultCode flush() {
    return next.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return next.shutdown();
  }
}
