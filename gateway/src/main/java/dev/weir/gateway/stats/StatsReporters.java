package dev.weir.gateway.stats;

import dev.weir.observe.LabelledMetricRegistry;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All reporters of the gateway. {@code /stats} shows their sections in this order: those of the
 * gateway, those of one cluster, those of the process. Immutable; safe on any thread.
 *
 * @param byCluster the reporters of each cluster, by its name, in the order of the configuration;
 *     every cluster has the same ones
 */
public record StatsReporters(
    List<StatsReporter> gateway,
    Map<String, List<StatsReporter>> byCluster,
    List<StatsReporter> process) {

  /** Registers all metrics; those of a cluster have its name as the label {@code cluster}. */
  public void bind(MetricRegistry metrics) {
    gateway.forEach(reporter -> reporter.bind(metrics));
    process.forEach(reporter -> reporter.bind(metrics));
    LabelledMetricRegistry clusters = new LabelledMetricRegistry("cluster");
    byCluster.forEach(
        (name, reporters) -> reporters.forEach(reporter -> reporter.bind(clusters.forPart(name))));
    clusters.registerIn(metrics);
  }

  /** Adds {@code /stats} and the pages of all reporters. */
  public void addPages(AdminPageRegistry site) {
    gateway.forEach(reporter -> reporter.addPages(site));
    process.forEach(reporter -> reporter.addPages(site));
    ClusterPages clusters = new ClusterPages(List.copyOf(byCluster.keySet()));
    byCluster.forEach((name, reporters) -> {
      AdminPageRegistry pages = clusters.forCluster(name);
      pages.get("/stats", () -> AdminResponse.json(200, stats(name, reporters)));
      reporters.forEach(reporter -> reporter.addPages(pages));
    });
    clusters.registerIn(site);
  }

  private Map<String, Object> stats(String cluster, List<StatsReporter> reporters) {
    Map<String, Object> body = new LinkedHashMap<>();
    gateway.forEach(reporter -> body.putAll(reporter.sections()));
    body.put("clusters", List.copyOf(byCluster.keySet()));
    body.put("selected_cluster", cluster);
    reporters.forEach(reporter -> body.putAll(reporter.sections()));
    process.forEach(reporter -> body.putAll(reporter.sections()));
    return body;
  }
}
