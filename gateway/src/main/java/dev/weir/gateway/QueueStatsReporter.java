package dev.weir.gateway;

import dev.weir.admission.queue.AdmissionQueue;
import dev.weir.admission.queue.AdmissionQueueStats;
import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeConcurrencyLimiter;
import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.model.DisplayFormat;
import dev.weir.model.NodeEndpoint;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shows what waits for nodes, how much they have, and what was refused because of it. */
final class QueueStatsReporter {
  private static final double NANOS = 1e9;
  private static final int MOST_TENANTS = 20;

  private QueueStatsReporter() {}

  /** The section {@code queues} of the statistics. */
  static Map<String, Object> toMap(AdmissionQueues<?> queues, Map<String, NodeEndpoint> nodes) {
    Map<String, Object> shown = new LinkedHashMap<>();
    for (NodeThreadPool work : NodeThreadPool.values()) {
      AdmissionQueue<?> queue = queues.queueFor(work);
      AdmissionQueueStats tally = queue.stats();
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("waiting_requests", queue.waiting());
      one.put("waiting_by_tenant", queue.waitingByTenant(MOST_TENANTS));
      one.put("delayed_requests", tally.waited());
      one.put("wait_ms", tally.waitedNanos() / 1_000_000);
      one.put("rejections", rejectionList(tally, nodes));
      one.put("last_rejection", tally.lastRejection());
      one.put("nodes", laneList(queues, work, nodes));
      shown.put(work.label(), one);
    }
    return shown;
  }

  private static List<Object> rejectionList(
      AdmissionQueueStats tally, Map<String, NodeEndpoint> nodes) {
    List<Object> rows = new ArrayList<>();
    for (AdmissionQueueStats.RejectionCount refused : tally.rejections()) {
      Map<String, Object> row = node(refused.nodeId(), nodes);
      row.put("reason", refused.reason().label());
      row.put("count", refused.count());
      rows.add(row);
    }
    return rows;
  }

  private static List<Object> laneList(
      AdmissionQueues<?> queues, NodeThreadPool work, Map<String, NodeEndpoint> nodes) {
    List<Object> rows = new ArrayList<>();
    for (NodeConcurrencyLimiter lane : queues.limiters().allLimiters()) {
      if (lane.threadPool() == work) {
        Map<String, Object> row = node(lane.nodeId(), nodes);
        row.put("in_flight", lane.inFlight());
        row.put("reserved", lane.reserved());
        row.put("concurrency_limit", DisplayFormat.roundToThousandths(lane.limit()));
        rows.add(row);
      }
    }
    return rows;
  }

  private static Map<String, Object> node(String id, Map<String, NodeEndpoint> nodes) {
    NodeEndpoint node = nodes.get(id);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("node", id);
    row.put("name", node == null ? "" : node.name());
    return row;
  }

  /** One class's refusals because of one node. */
  private record RejectionRow(
      NodeThreadPool workClass, AdmissionQueueStats.RejectionCount rejected) {}

  static void bind(AdmissionQueues<?> queues, MetricRegistry metrics) {
    metrics
        .table(
            new MetricTable<NodeConcurrencyLimiter>(
                () -> queues.limiters().allLimiters(),
                lane -> Map.of("node", lane.nodeId(), "class", lane.threadPool().label()),
                List.of(
                    Column.gauge(
                        "weir_queue_in_flight_calls",
                        "Calls in flight to a node, by class",
                        NodeConcurrencyLimiter::inFlight),
                    Column.gauge(
                        "weir_queue_concurrency_limit",
                        "Learned limit of the calls in flight to a node, by class",
                        NodeConcurrencyLimiter::limit))))
        .table(
            new MetricTable<NodeThreadPool>(
                () -> List.of(NodeThreadPool.values()),
                work -> Map.of("class", work.label()),
                List.of(
                    Column.gauge(
                        "weir_queue_waiting_requests",
                        "Requests that wait in the gateway for nodes at their limit",
                        work -> queues.queueFor(work).waiting()),
                    Column.counter(
                        "weir_queue_delayed_requests",
                        "Requests that waited for nodes and then ran",
                        work -> queues.queueFor(work).stats().waited()),
                    Column.counter(
                        "weir_queue_wait_seconds",
                        "Total seconds that requests waited for nodes",
                        work -> queues.queueFor(work).stats().waitedNanos() / NANOS))))
        .table(
            new MetricTable<RejectionRow>(
                () -> rejectionRows(queues),
                row ->
                    Map.of(
                        "node", row.rejected().nodeId(),
                        "class", row.workClass().label(),
                        "reason", row.rejected().reason().label()),
                List.of(
                    Column.counter(
                        "weir_queue_rejections",
                        "Requests rejected because a node was at its limit, by node and reason",
                        row -> row.rejected().count()))));
  }

  private static List<RejectionRow> rejectionRows(AdmissionQueues<?> queues) {
    List<RejectionRow> rows = new ArrayList<>();
    for (NodeThreadPool work : NodeThreadPool.values()) {
      queues
          .queueFor(work)
          .stats()
          .rejections()
          .forEach(refused -> rows.add(new RejectionRow(work, refused)));
    }
    return rows;
  }
}
