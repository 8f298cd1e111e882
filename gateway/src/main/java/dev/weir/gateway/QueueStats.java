package dev.weir.gateway;

import dev.weir.admission.queue.AdmissionQueue;
import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeLane;
import dev.weir.admission.queue.Tally;
import dev.weir.admission.queue.WorkClass;
import dev.weir.observe.Figures;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Shown;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shows what waits for nodes, how much they have, and what was refused because of it. */
final class QueueStats {
  private static final double NANOS = 1e9;
  private static final int MOST_TENANTS = 20;

  private QueueStats() {}

  /** The section {@code queues} of the statistics. */
  static Map<String, Object> show(AdmissionQueues<?> queues, Map<String, NodeEndpoint> nodes) {
    Map<String, Object> shown = new LinkedHashMap<>();
    for (WorkClass work : WorkClass.values()) {
      AdmissionQueue<?> queue = queues.of(work);
      Tally tally = queue.tally();
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("waiting", queue.waiting());
      one.put("waiting_by_tenant", queue.waitingByTenant(MOST_TENANTS));
      one.put("waited", tally.waited());
      one.put("waited_ms", tally.waitedNanos() / 1_000_000);
      one.put("refused", refused(tally, nodes));
      one.put("last_refusal", tally.last());
      one.put("nodes", lanes(queues, work, nodes));
      shown.put(work.label(), one);
    }
    return shown;
  }

  private static List<Object> refused(Tally tally, Map<String, NodeEndpoint> nodes) {
    List<Object> rows = new ArrayList<>();
    for (Tally.Refused refused : tally.refusals()) {
      Map<String, Object> row = node(refused.nodeId(), nodes);
      row.put("reason", refused.reason().label());
      row.put("count", refused.count());
      rows.add(row);
    }
    return rows;
  }

  private static List<Object> lanes(
      AdmissionQueues<?> queues, WorkClass work, Map<String, NodeEndpoint> nodes) {
    List<Object> rows = new ArrayList<>();
    for (NodeLane lane : queues.lanes().all()) {
      if (lane.work() == work) {
        Map<String, Object> row = node(lane.nodeId(), nodes);
        row.put("in_flight", lane.inFlight());
        row.put("promised", lane.promised());
        row.put("limit", Shown.rounded(lane.limit()));
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
  private record Row(WorkClass work, Tally.Refused refused) {}

  static void bind(AdmissionQueues<?> queues, Figures metrics) {
    metrics
        .table(
            new NodeTable<NodeLane>(
                () -> queues.lanes().all(),
                lane -> Map.of("node", lane.nodeId(), "class", lane.work().label()),
                List.of(
                    Column.gauge(
                        "weir_queue_in_flight",
                        "Calls that a node has at once of a class",
                        NodeLane::inFlight),
                    Column.gauge(
                        "weir_queue_limit",
                        "Calls that a node may have at once of a class",
                        NodeLane::limit))))
        .table(
            new NodeTable<WorkClass>(
                () -> List.of(WorkClass.values()),
                work -> Map.of("class", work.label()),
                List.of(
                    Column.gauge(
                        "weir_queue_waiting",
                        "Requests that wait here until the nodes that they need have room",
                        work -> queues.of(work).waiting()),
                    Column.counter(
                        "weir_queue_waited",
                        "Requests that waited here and were let in",
                        work -> queues.of(work).tally().waited()),
                    Column.counter(
                        "weir_queue_waited_seconds",
                        "For how long they waited, together",
                        work -> queues.of(work).tally().waitedNanos() / NANOS))))
        .table(
            new NodeTable<Row>(
                () -> refusals(queues),
                row ->
                    Map.of(
                        "node", row.refused().nodeId(),
                        "class", row.work().label(),
                        "reason", row.refused().reason().label()),
                List.of(
                    Column.counter(
                        "weir_queue_refused",
                        "Requests refused because a node had no room, by the node and the reason",
                        row -> row.refused().count()))));
  }

  private static List<Row> refusals(AdmissionQueues<?> queues) {
    List<Row> rows = new ArrayList<>();
    for (WorkClass work : WorkClass.values()) {
      queues.of(work).tally().refusals().forEach(refused -> rows.add(new Row(work, refused)));
    }
    return rows;
  }
}
