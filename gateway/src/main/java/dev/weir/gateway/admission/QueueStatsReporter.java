package dev.weir.gateway.admission;

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
import dev.weir.observe.StatsReporter;
import dev.weir.routing.NodeLoadSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reports the requests that wait for nodes, the limits of nodes, and the rejections: the section
 * {@code queues} of {@code /stats}, and its metrics.
 *
 * @param nodes the nodes of the newest view, by id
 * @param loads the load of each node and phase
 */
public record QueueStatsReporter(
    AdmissionQueues<?> queues,
    Supplier<Map<String, NodeEndpoint>> nodes,
    Supplier<List<NodeLoadSnapshot>> loads)
    implements StatsReporter {
  private static final double NANOS = 1e9;
  private static final int MAX_TENANTS = 20;

  @Override
  public Map<String, Object> sections() {
    Map<String, NodeEndpoint> current = nodes.get();
    Map<String, Object> shown = new LinkedHashMap<>();
    for (NodeThreadPool work : NodeThreadPool.values()) {
      AdmissionQueue<?> queue = queues.queueFor(work);
      AdmissionQueueStats stats = queue.stats();
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("waiting_requests", queue.waiting());
      one.put("waiting_by_tenant", queue.waitingByTenant(MAX_TENANTS));
      one.put("delayed_requests", stats.waited());
      one.put("wait_ms", stats.waitedNanos() / 1_000_000);
      one.put("rejections", rejectionList(stats, current));
      one.put("last_rejection", stats.lastRejection());
      one.put("nodes", laneList(work, current));
      shown.put(work.label(), one);
    }
    return Map.of("queues", shown);
  }

  private static List<Object> rejectionList(
      AdmissionQueueStats stats, Map<String, NodeEndpoint> current) {
    List<Object> rows = new ArrayList<>();
    for (AdmissionQueueStats.RejectionCount rejection : stats.rejections()) {
      Map<String, Object> row = node(rejection.nodeId(), current);
      row.put("reason", rejection.reason().label());
      row.put("count", rejection.count());
      rows.add(row);
    }
    return rows;
  }

  private List<Object> laneList(NodeThreadPool work, Map<String, NodeEndpoint> current) {
    List<NodeLoadSnapshot> known = loads.get();
    List<Object> rows = new ArrayList<>();
    for (NodeConcurrencyLimiter lane : queues.limiters().allLimiters()) {
      if (lane.threadPool() == work) {
        Map<String, Object> row = node(lane.nodeId(), current);
        row.put("in_flight", lane.inFlight());
        row.put("in_flight_by_phase", callsByPhase(lane, known));
        row.put("reserved", lane.reserved());
        row.put("concurrency_limit", DisplayFormat.roundToThousandths(lane.limit()));
        rows.add(row);
      }
    }
    return rows;
  }

  /** The calls in flight by phase: those of a fetch start without a check of the limit. */
  private static Map<String, Object> callsByPhase(
      NodeConcurrencyLimiter lane, List<NodeLoadSnapshot> known) {
    Map<String, Object> calls = new LinkedHashMap<>();
    for (NodeLoadSnapshot load : known) {
      if (load.nodeId().equals(lane.nodeId())
          && load.load().outstanding() > 0
          && NodeThreadPool.forPhase(load.phase()) == lane.threadPool()) {
        calls.put(DisplayFormat.toKebabCase(load.phase()), load.load().outstanding());
      }
    }
    return calls;
  }

  private static Map<String, Object> node(String id, Map<String, NodeEndpoint> current) {
    NodeEndpoint node = current.get(id);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("node", id);
    row.put("name", node == null ? "" : node.name());
    return row;
  }

  /** Rejections of one class because of one node. */
  private record RejectionRow(
      NodeThreadPool workClass, AdmissionQueueStats.RejectionCount rejected) {}

  @Override
  public void bind(MetricRegistry metrics) {
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
                this::rejectionRows,
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

  private List<RejectionRow> rejectionRows() {
    List<RejectionRow> rows = new ArrayList<>();
    for (NodeThreadPool work : NodeThreadPool.values()) {
      queues
          .queueFor(work)
          .stats()
          .rejections()
          .forEach(rejection -> rows.add(new RejectionRow(work, rejection)));
    }
    return rows;
  }
}
