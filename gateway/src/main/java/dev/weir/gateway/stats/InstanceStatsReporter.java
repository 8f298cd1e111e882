package dev.weir.gateway.stats;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Reports which gateway this is: the section {@code gateway} of {@code /stats}, and its metric.
 *
 * @param draining whether the gateway drains
 */
public record InstanceStatsReporter(GatewayInstance instance, BooleanSupplier draining)
    implements StatsReporter {
  @Override
  public Map<String, Object> sections() {
    return Map.of("gateway", instance.toMap(draining.getAsBoolean()));
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics.gauge(
        "weir_draining", "1 while the gateway drains", () -> draining.getAsBoolean() ? 1 : 0);
  }
}
