package dev.weir.gateway.stats;

import dev.weir.gateway.process.GatewayVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Identifies this gateway, and its time of start. Immutable; safe on any thread.
 *
 * @param nanoClock measures the uptime, in nanoseconds
 */
public record GatewayInstance(Instant startedAt, long startedNanos, LongSupplier nanoClock) {
  /** Creates an instance that starts now. */
  public static GatewayInstance start(LongSupplier wallMillis, LongSupplier nanoTime) {
    return new GatewayInstance(
        Instant.ofEpochMilli(wallMillis.getAsLong()), nanoTime.getAsLong(), nanoTime);
  }

  /** The section {@code gateway} of the statistics. */
  Map<String, Object> toMap(boolean draining) {
    ProcessHandle process = ProcessHandle.current();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("version", GatewayVersion.current());
    shown.put("pid", process.pid());
    shown.put("started_at", startedAt.toString());
    shown.put("uptime_ms", (nanoClock.getAsLong() - startedNanos) / 1_000_000);
    shown.put("draining", draining);
    shown.put("processors", Runtime.getRuntime().availableProcessors());
    shown.put("cpu_ms", process.info().totalCpuDuration().orElse(Duration.ZERO).toMillis());
    return shown;
  }
}
