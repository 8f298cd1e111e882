package dev.weir.gateway;

import dev.weir.cluster.ClusterStatus;
import dev.weir.http.proxy.ProxyStats;
import dev.weir.protocol.TransportStats;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What became of requests to a cluster, for operators. Safe on any thread. */
record ClusterStatsReporter(ClusterRuntime runtime) {
  /** Adds it to what is shown. */
  void writeTo(Map<String, Object> body) {
    ClusterConnection backend = runtime.connection();
    body.put("cluster", cluster());
    body.put("nodes", transport());
    body.put("proxy", proxy());
    body.put(
        "queues",
        QueueStatsReporter.toMap(
            backend.admissionQueues().queues(), backend.follower().current().nodes()));
    body.put("coalescing", CoalescingStatsReporter.toMap(runtime.coalescing()));
    body.put("time_pruning", PruningStatsReporter.toMap(runtime.pruning()));
    body.put(
        "bulk",
        WriteTransformStatsReporter.toMap(
            BulkStatsReporter.toMap(backend, runtime.streamingBulkCounts()),
            backend.writeTransforms()));
  }

  private Map<String, Object> proxy() {
    ProxyStats stats = runtime.proxy().stats();
    Map<String, Object> proxy = new LinkedHashMap<>();
    proxy.put("connections", stats.connections());
    proxy.put("waiting_requests", stats.waiting());
    proxy.put("in_flight", stats.inFlight());
    proxy.put("retries", stats.retries());
    proxy.put("failures", stats.failures());
    return proxy;
  }

  private Map<String, Object> cluster() {
    ClusterStatus status = runtime.connection().follower().status();
    ClusterStatus.Identity identity = status.cluster();
    Map<String, Object> cluster = new LinkedHashMap<>();
    cluster.put("name", identity == null ? "" : identity.name());
    cluster.put("uuid", identity == null ? "" : identity.uuid());
    cluster.put("term", status.position().term());
    cluster.put("version", status.position().version());
    cluster.put("age_ms", status.age().toMillis());
    cluster.put("unknown_metadata", List.copyOf(status.unknownParts()));
    cluster.put("nodes", status.nodes().known());
    cluster.put("connected_nodes", status.nodes().connected());
    String error = status.errors().lastError();
    cluster.put("last_error", error == null ? "" : error);
    cluster.put("rejected_seeds", status.errors().rejectedSeeds());
    cluster.put("replacements", runtime.connection().follower().replacements());
    return cluster;
  }

  private List<Object> transport() {
    List<Object> rows = new ArrayList<>();
    for (TransportStats.Node node : runtime.connection().transportClients().stats().nodes()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("node", node.id());
      row.put("name", node.name());
      row.put("channels", node.openChannels());
      row.put("in_flight", node.inFlight());
      row.put("pending", node.pending());
      row.put("sent_requests", node.sent());
      row.put("received_responses", node.responses());
      row.put("timeouts", node.timeouts());
      row.put("rejections", node.rejections());
      row.put("received_bytes", node.bytesIn());
      row.put("sent_bytes", node.bytesOut());
      row.put("disconnects", node.disconnects());
      rows.add(row);
    }
    return rows;
  }
}
