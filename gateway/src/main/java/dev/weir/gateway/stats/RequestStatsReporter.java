package dev.weir.gateway.stats;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.MemoryPool;
import dev.weir.gateway.admission.PolicyStatsReporter;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.RequestMetrics;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reports the requests of clients and the rejections at the gateway's limits: the section {@code
 * requests} of {@code /stats}, and its metrics.
 *
 * @param byPolicy reports the requests in flight of each policy
 * @param bodies the memory of request bodies
 * @param responses the memory of responses from nodes
 */
public record RequestStatsReporter(
    RequestMetrics requests,
    ConcurrencyLimiter concurrency,
    PolicyStatsReporter byPolicy,
    MemoryPool bodies,
    MemoryPool responses)
    implements StatsReporter {
  @Override
  public Map<String, Object> sections() {
    Map<String, Object> section = new LinkedHashMap<>();
    section.put("limit", concurrency.maxInFlight());
    section.put("by_path_and_status", requests.countsByPathAndStatus());
    section.put("passed_through", requests.passThroughCountsByReason());
    section.put("in_flight_rejections", concurrency.rejected());
    section.put("by_policy", byPolicy.toMap());
    section.put("body_memory_rejections", bodies.rejections());
    section.put("response_memory_rejections", responses.rejections());
    section.put("latency_bounds_ms", RequestMetrics.bucketBoundsMillis());
    section.put(
        "by_action",
        requests.summariesByAction().stream().map(RequestStatsReporter::actionRow).toList());
    return Map.of("requests", section);
  }

  private static Map<String, Object> actionRow(RequestMetrics.ActionSummary summary) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("path", summary.path());
    row.put("action", summary.action());
    row.put("requests", summary.requests());
    row.put("took_ms", Math.round(summary.totalMillis()));
    row.put("request_bytes", summary.requestBytes());
    row.put("response_bytes", summary.responseBytes());
    row.put("cumulative_counts", summary.cumulativeCounts());
    return row;
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .gauge("weir_requests_in_flight", "Coordinated requests in flight", concurrency::inFlight)
        .counter(
            "weir_request_rejections",
            "Requests rejected because admission.max-in-flight was reached",
            concurrency::rejected)
        .gauge("weir_body_memory_bytes", "Bytes of request bodies in memory", bodies::usedBytes)
        .gauge(
            "weir_body_memory_limit_bytes",
            "Limit of the bytes of request bodies in memory",
            bodies::limitBytes)
        .counter(
            "weir_body_memory_rejections",
            "Request bodies rejected because the limit of their bytes was reached",
            bodies::rejections);
    byPolicy.bind(metrics);
  }
}
