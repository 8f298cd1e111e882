package dev.weir.gateway.stats;

import dev.weir.core.coordinate.load.NodeLoadReports;
import dev.weir.core.coordinate.load.NodeLoadReports.NodeReport;
import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.model.DisplayFormat;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import dev.weir.protocol.NodeLoadReport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports what the nodes with the plugin report of their processes and pools, beyond the queues and
 * service times that {@link RoutingStatsReporter} shows: its metrics alone.
 */
public record NodeLoadStatsReporter(ClusterConnection connection) implements StatsReporter {
  private static final double PERCENT = 100;
  private static final double MILLIS = 1000;

  @Override
  public void bind(MetricRegistry metrics) {
    NodeLoadReports reports = connection.selection().loadReports();
    metrics
        .table(
            new MetricTable<NodeReport>(
                reports::newestOfPhases,
                row ->
                    Map.of("node", row.nodeId(), "phase", DisplayFormat.toKebabCase(row.phase())),
                List.of(
                    Column.gauge(
                        "weir_node_running_tasks",
                        "Tasks that run in the thread pool of a phase, reported by the node",
                        row -> known(row.report().runningTasks())))))
        .table(
            new MetricTable<NodeReport>(
                reports::newestOfNodes,
                row -> Map.of("node", row.nodeId()),
                List.of(
                    Column.gauge(
                        "weir_node_cpu_ratio",
                        "CPU of the node's process as a share of all processors, 0 to 1",
                        row -> known(row.report().cpuPercent()) / PERCENT),
                    Column.gauge(
                        "weir_node_heap_ratio",
                        "Heap in use on the node as a share of its maximum, 0 to 1",
                        row -> known(row.report().heapPercent()) / PERCENT),
                    Column.gauge(
                        "weir_node_running_merges",
                        "Merges of segments that run on the node",
                        row -> known(row.report().runningMerges())),
                    Column.counter(
                        "weir_node_gc_pause_seconds",
                        "Seconds for which garbage collections have stopped the node since its"
                            + " start",
                        row -> Math.max(0, row.gcPauseMillis()) / MILLIS))));
  }

  /** Returns NaN, which is no sample, for a number that the node does not know. */
  private static double known(int number) {
    return number < 0 ? Double.NaN : number;
  }

  /** Returns what a report says about the node's process, without what the node does not know. */
  static Map<String, Object> process(NodeLoadReport report) {
    Map<String, Object> body = new LinkedHashMap<>();
    if (report.cpuPercent() >= 0) {
      body.put("cpu_ratio", report.cpuPercent() / PERCENT);
    }
    if (report.heapPercent() >= 0) {
      body.put("heap_ratio", report.heapPercent() / PERCENT);
    }
    if (report.gcPauseMillis() >= 0) {
      body.put("gc_pause_ms", report.gcPauseMillis());
    }
    if (report.runningMerges() >= 0) {
      body.put("running_merges", report.runningMerges());
    }
    return body;
  }
}
