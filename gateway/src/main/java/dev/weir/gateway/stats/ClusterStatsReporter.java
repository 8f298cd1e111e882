package dev.weir.gateway.stats;

import dev.weir.admission.queue.NodeConcurrencyLimiter;
import dev.weir.cluster.ClusterStatus;
import dev.weir.cluster.capability.PluginAnnouncement;
import dev.weir.cluster.read.StateReadCounts;
import dev.weir.core.coordinate.load.NodeLoadReports;
import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.TransportStats;
import dev.weir.routing.NodeLoadSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Reports the state of one cluster and the connections to its nodes: the sections {@code cluster}
 * and {@code nodes} of {@code /stats}, and its metrics.
 */
public record ClusterStatsReporter(ClusterConnection connection) implements StatsReporter {
  private static final double NANOS = 1e9;

  @Override
  public Map<String, Object> sections() {
    Map<String, Object> sections = new LinkedHashMap<>();
    sections.put("cluster", cluster());
    sections.put("nodes", transport());
    return sections;
  }

  private Map<String, Object> cluster() {
    ClusterStatus status = connection.nodes().follower().status();
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
    cluster.put("replacements", connection.nodes().follower().replacements());
    String diffNode = connection.nodes().follower().diffNode();
    cluster.put("diff_node", diffNode == null ? "" : diffNode);
    cluster.put("state_reads", stateReads());
    return cluster;
  }

  private Map<String, Object> stateReads() {
    Map<String, Object> counts = new LinkedHashMap<>();
    counts.put("whole", reads().wholeReads());
    counts.put("routing", reads().routingReads());
    counts.put("diffs", reads().diffs());
    counts.put("bytes", reads().bytes());
    counts.put("reused_parts", reads().reusedParts());
    counts.put("decoded_parts", reads().decodedParts());
    return counts;
  }

  private List<Object> transport() {
    List<NodeLoadSnapshot> loads = connection.selection().loadTracker().snapshots();
    List<NodeConcurrencyLimiter> limiters =
        List.copyOf(connection.admission().gate().queues().limiters().allLimiters());
    List<Object> rows = new ArrayList<>();
    for (TransportStats.Node node : connection.nodes().transportClients().stats().nodes()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("node", node.id());
      row.put("name", node.name());
      NodeHealth health =
          NodeHealth.of(
              node.id(),
              node.openChannels(),
              connection.selection().loadTracker().weights().of(node.id()),
              loads,
              limiters);
      row.put("health", health.word());
      row.put("health_reason", health.reason());
      row.put("channels", node.openChannels());
      row.put("in_flight", node.inFlight());
      row.put("pending", node.pending());
      row.put("sent_requests", node.sent());
      row.put("zstd_requests", node.zstdRequests());
      row.put("received_responses", node.responses());
      row.put("timeouts", node.timeouts());
      row.put("rejections", node.rejections());
      row.put("received_bytes", node.bytesIn());
      row.put("sent_bytes", node.bytesOut());
      row.put("disconnects", node.disconnects());
      PluginAnnouncement plugin = connection.nodes().follower().capabilities().answer(node.id());
      if (plugin != null) {
        row.put("plugin_version", plugin.version());
        row.put("capabilities", plugin.sortedCapabilities());
      }
      NodeLoadReports.NodeReport load = connection.selection().loadReports().newest(node.id());
      if (load != null) {
        row.put("load", NodeLoadStatsReporter.process(load.report()));
      }
      rows.add(row);
    }
    return rows;
  }

  @Override
  public void bind(MetricRegistry metrics) {
    bindCluster(metrics);
    bindTransport(metrics);
  }

  private void bindCluster(MetricRegistry metrics) {
    metrics
        .gauge(
            "weir_cluster_view_version",
            "Version of the newest cluster state",
            () -> connection.nodes().follower().status().position().version())
        .gauge(
            "weir_cluster_view_age_seconds",
            "Seconds since a node last confirmed the newest cluster state",
            () -> connection.nodes().follower().status().age().toNanos() / NANOS)
        .gauge(
            "weir_cluster_nodes",
            "Nodes in the newest cluster state",
            () -> connection.nodes().follower().status().nodes().known())
        .gauge(
            "weir_cluster_connected_nodes",
            "Nodes with an open channel",
            () -> connection.nodes().follower().status().nodes().connected())
        .counter(
            "weir_cluster_replacements",
            "Times that another cluster replaced the followed one, or that one was set back",
            connection.nodes().follower()::replacements)
        .counter(
            "weir_cluster_state_reads", "Reads of the whole cluster state", reads()::wholeReads)
        .counter(
            "weir_cluster_state_routing_reads",
            "Reads of the routing of indices of which a shard is moving",
            reads()::routingReads)
        .counter(
            "weir_cluster_state_diff_reads",
            "Steps from one cluster state to the next that nodes with the plugin answered with",
            reads()::diffs)
        .counter(
            "weir_cluster_state_read_bytes",
            "Bytes of cluster states that were read",
            reads()::bytes)
        .counter(
            "weir_cluster_state_reused_parts",
            "Metadata and routing of indices that had not changed since the previous read",
            reads()::reusedParts)
        .counter(
            "weir_cluster_state_decoded_parts",
            "Metadata and routing of indices that were decoded",
            reads()::decodedParts);
  }

  private StateReadCounts reads() {
    return connection.nodes().follower().readCounts();
  }

  private void bindTransport(MetricRegistry metrics) {
    metrics
        .gauge(
            "weir_transport_held_frames",
            "Frames received from nodes that are still in memory",
            () -> connection.nodes().transportClients().stats().heldFrames())
        .gauge(
            "weir_transport_held_bytes",
            "Bytes of frames received from nodes that are still in memory",
            () -> connection.nodes().transportClients().stats().heldBytes())
        .gauge(
            "weir_transport_unsent_bytes",
            "Bytes of requests that wait for a node's socket",
            () -> connection.nodes().transportClients().stats().unsentBytes())
        .table(
            new MetricTable<TransportStats.Node>(
                () -> connection.nodes().transportClients().stats().nodes(),
                node -> Map.of("node", node.id(), "name", node.name()),
                transportColumns()))
        .table(
            new MetricTable<NodePlugin>(
                this::plugins,
                plugin -> Map.of("node", plugin.nodeId(), "version", plugin.version()),
                List.of(
                    Column.gauge(
                        "weir_node_plugin_info",
                        "Always 1; the version of Weir's plugin on a node that has it",
                        plugin -> 1))))
        .table(
            new MetricTable<NodeCapability>(
                this::capabilities,
                held -> Map.of("node", held.nodeId(), "capability", held.capability()),
                List.of(
                    Column.gauge(
                        "weir_node_capability_info",
                        "Always 1; a capability of Weir's plugin that a node announced",
                        held -> 1))));
  }

  private record NodePlugin(String nodeId, String version) {}

  private record NodeCapability(String nodeId, String capability) {}

  private List<NodePlugin> plugins() {
    List<NodePlugin> rows = new ArrayList<>();
    forEachPlugin((id, plugin) -> rows.add(new NodePlugin(id, plugin.version())));
    return rows;
  }

  private List<NodeCapability> capabilities() {
    List<NodeCapability> rows = new ArrayList<>();
    forEachPlugin((id, plugin) ->
        plugin.capabilities().forEach(name -> rows.add(new NodeCapability(id, name))));
    return rows;
  }

  private void forEachPlugin(BiConsumer<String, PluginAnnouncement> action) {
    for (NodeClient node : connection.nodes().transportClients().all()) {
      String id = node.endpoint().id();
      PluginAnnouncement plugin = connection.nodes().follower().capabilities().answer(id);
      if (plugin != null && plugin.isPresent()) {
        action.accept(id, plugin);
      }
    }
  }

  private static List<Column<TransportStats.Node>> transportColumns() {
    return List.of(
        Column.gauge("weir_node_info", "Always 1; joins a node's id to its name", node -> 1),
        Column.gauge("weir_transport_channels", "Open channels", TransportStats.Node::openChannels),
        Column.gauge(
            "weir_transport_in_flight_calls", "Calls in flight", TransportStats.Node::inFlight),
        Column.gauge(
            "weir_transport_pending_calls",
            "Calls that wait for a channel",
            TransportStats.Node::pending),
        Column.counter("weir_transport_sent_requests", "Requests sent", TransportStats.Node::sent),
        Column.counter(
            "weir_transport_zstd_requests",
            "Requests sent that use zstd, and so do their responses",
            TransportStats.Node::zstdRequests),
        Column.counter(
            "weir_transport_received_responses",
            "Responses received",
            TransportStats.Node::responses),
        Column.counter(
            "weir_transport_timeouts", "Calls that timed out", TransportStats.Node::timeouts),
        Column.counter(
            "weir_transport_rejections",
            "Calls that were not sent: at a limit of the gateway, or without a connection",
            TransportStats.Node::rejections),
        Column.counter(
            "weir_transport_orphaned_responses",
            "Responses that arrived after their call had ended",
            TransportStats.Node::orphanedResponses),
        Column.counter(
            "weir_transport_received_bytes", "Bytes received", TransportStats.Node::bytesIn),
        Column.counter("weir_transport_sent_bytes", "Bytes sent", TransportStats.Node::bytesOut),
        Column.counter("weir_transport_connects", "Channels opened", TransportStats.Node::connects),
        Column.counter(
            "weir_transport_connect_failures",
            "Attempts to connect that failed",
            TransportStats.Node::connectFailures),
        Column.counter(
            "weir_transport_disconnects", "Channels lost", TransportStats.Node::disconnects));
  }
}
