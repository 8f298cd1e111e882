package dev.weir.gateway.stats;

import dev.weir.http.proxy.NodeProxy;
import dev.weir.http.proxy.ProxyStats;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reports the requests that pass through to one cluster: the section {@code proxy} of {@code
 * /stats}, and its metrics.
 */
public record ProxyStatsReporter(NodeProxy proxy) implements StatsReporter {
  @Override
  public Map<String, Object> sections() {
    ProxyStats stats = proxy.stats();
    Map<String, Object> section = new LinkedHashMap<>();
    section.put("connections", stats.connections());
    section.put("waiting_requests", stats.waiting());
    section.put("in_flight", stats.inFlight());
    section.put("retries", stats.retries());
    section.put("rejection_retries", stats.rejectionRetries());
    section.put("failures", stats.failures());
    return Map.of("proxy", section);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .gauge(
            "weir_proxy_connections",
            "Connections to the nodes' REST ports, open or opening",
            () -> proxy.stats().connections())
        .gauge(
            "weir_proxy_waiting_requests",
            "Requests that wait for a connection to a node's REST port",
            () -> proxy.stats().waiting())
        .gauge(
            "weir_proxy_in_flight_requests",
            "Pass-through requests in flight, including those that wait for a connection",
            () -> proxy.stats().inFlight())
        .counter(
            "weir_proxy_retries",
            "Pass-through requests sent again after a broken or failed connection",
            () -> proxy.stats().retries())
        .counter(
            "weir_proxy_rejection_retries",
            "Pass-through reads sent to another node because a node rejected them with 429",
            () -> proxy.stats().rejectionRetries())
        .counter(
            "weir_proxy_failures",
            "Pass-through requests that ended without a complete response of a node",
            () -> proxy.stats().failures());
  }
}
