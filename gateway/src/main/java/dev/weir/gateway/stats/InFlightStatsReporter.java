package dev.weir.gateway.stats;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Reports the work in flight: the section {@code in_flight} of {@code /stats}, and its metrics.
 *
 * @param connections the number of open client connections
 */
public record InFlightStatsReporter(Supplier<InFlightWork> inFlight, IntSupplier connections)
    implements StatsReporter {
  @Override
  public Map<String, Object> sections() {
    InFlightWork work = inFlight.get();
    Map<String, Object> section = new LinkedHashMap<>();
    section.put("requests", work.requests());
    section.put("active_actions", work.actions());
    section.put("node_calls", work.outstandingNodeCalls());
    section.put("queued_requests", work.queuedRequests());
    section.put("write_bytes", work.writeBytes());
    section.put("body_bytes", work.requestBodyBytes());
    section.put("held_frames", work.heldFrames());
    section.put("request_memory_bytes", work.requestMemoryBytes());
    section.put("connections", connections.getAsInt());
    return Map.of("in_flight", section);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics.gauge("weir_http_connections", "Open client connections", connections::getAsInt);
  }
}
