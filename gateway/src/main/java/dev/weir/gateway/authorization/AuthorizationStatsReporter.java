package dev.weir.gateway.authorization;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports who checks a client's permissions on one cluster, and how that is known: the section
 * {@code authorization} of {@code /stats}, and its metrics.
 */
public record AuthorizationStatsReporter(
    ClusterAuthorization authorization, SecurityDetector detector) implements StatsReporter {
  @Override
  public Map<String, Object> sections() {
    Map<String, Object> section = authorization.state().toMap();
    section.put("probes", detector.probeCount());
    section.put("nodes", detector.report().stream().map(AuthorizationStatsReporter::row).toList());
    return Map.of("authorization", section);
  }

  private static Map<String, Object> row(SecurityDetector.NodeReport node) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("node", node.node());
    row.put("name", node.name());
    row.put("rest_port", node.probe());
    row.put("unknown_plugins", node.unknownPlugins());
    return row;
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .table(
            new MetricTable<AuthorizationMode>(
                () -> List.of(AuthorizationMode.values()),
                mode -> Map.of("mode", mode.label()),
                List.of(
                    Column.gauge(
                        "weir_authorization_mode",
                        "1 for the mode in force, 0 for the others",
                        mode -> authorization.mode() == mode ? 1 : 0))))
        .counter(
            "weir_authorization_probes",
            "Probes of nodes' REST ports without credentials",
            detector::probeCount);
  }
}
