package dev.weir.gateway;

import dev.weir.admission.MemoryPool;
import dev.weir.bluegreen.traffic.TrafficStatsReporter;
import dev.weir.core.coordinate.AttemptCounts;
import dev.weir.core.coordinate.BudgetedAttemptPolicies;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.DisplayFormat;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.observe.LabelledMetricRegistry;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.PrometheusMetrics;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportMemory;
import dev.weir.protocol.TransportStats;
import dev.weir.routing.NodeLoadSnapshot;
import dev.weir.routing.ReplicaSelector;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Shows the rooms' own numbers as metrics. */
final class GatewayMetricsBinder {
  private static final double NANOS = 1e9;

  private GatewayMetricsBinder() {}

  static void bind(Gateway gateway, PrometheusMetrics metrics, EventLoops loops) {
    metrics
        .gauge(
            "weir_requests_in_flight",
            "Coordinated requests in flight",
            () -> gateway.sharedServices().limits().concurrency().inFlight())
        .counter(
            "weir_request_rejections",
            "Requests rejected because admission.max-in-flight was reached",
            () -> gateway.sharedServices().limits().concurrency().rejected())
        .gauge(
            "weir_http_connections",
            "Open client connections",
            () -> gateway.server().openConnections())
        .gauge(
            "weir_body_memory_bytes",
            "Bytes of request bodies in memory",
            () -> gateway.bodyMemory().usedBytes())
        .gauge(
            "weir_body_memory_limit_bytes",
            "Limit of the bytes of request bodies in memory",
            () -> gateway.bodyMemory().limitBytes())
        .counter(
            "weir_body_memory_rejections",
            "Request bodies rejected because the limit of their bytes was reached",
            () -> gateway.bodyMemory().rejections())
        .gauge("weir_draining", "1 while the gateway drains", () -> gateway.isDraining() ? 1 : 0);
    PacingStatsReporter.bind(gateway.headerAdmission().pacer(), metrics);
    SharedServices commons = gateway.sharedServices();
    commons.features().deadlines().bind(metrics);
    TrimmingStatsReporter.bind(commons.features().trimming(), metrics);
    ExportStatsReporter.bind(commons.features().exports(), metrics);
    SamplingStatsReporter.bind(commons.features().sampling().counts(), metrics);
    PolicyStatsReporter.bind(
        gateway.clusterRouter()::requestPolicies,
        gateway.sharedServices().limits().bulkheads(),
        metrics);
    ShadowStatsReporter.bind(commons.features().shadowReads().service(), metrics);
    TrafficStatsReporter.bind(gateway.clusterRouter(), metrics);
    DualWriteStatsReporter.bind(commons.features().dualWrites().counts(), metrics);
    bindReloads(gateway, metrics);
    bindResponseMemory(commons.memory().responses(), metrics);
    bindTransportMemory(commons.memory().transport(), metrics);
    bindAllocator(loops, metrics);
    RequestMemoryStatsReporter.bind(gateway.requestMemory(), metrics);
    EventLoopLagMonitor.bind(loops, metrics);
    LogStatsReporter.bind(metrics);
    bindReductions(commons.reductions(), metrics);
    LabelledMetricRegistry clusters = new LabelledMetricRegistry("cluster");
    gateway.clusters().all().forEach(side -> bind(gateway, side, clusters.forPart(side.name())));
    clusters.registerIn(metrics);
  }

  private static void bind(Gateway gateway, ClusterRuntime side, MetricRegistry metrics) {
    ClusterConnection backend = side.connection();
    bindCluster(backend, metrics);
    bindNodes(backend, metrics);
    bindTransport(backend, metrics);
    bindProxy(side.proxy(), metrics);
    bindHedging(
        backend.tailLatency(),
        () -> gateway.clusterRouter().requestPolicies().defaultPolicy(),
        metrics);
    QueueStatsReporter.bind(backend.admissionQueues().queues(), metrics);
    CoalescingStatsReporter.bind(side.coalescing(), metrics);
    PruningStatsReporter.bind(side.pruning(), metrics);
    BulkStatsReporter.bind(backend, metrics);
    BulkStatsReporter.bind(side.streamingBulkCounts(), metrics);
    WriteTransformStatsReporter.bind(backend.writeTransforms(), metrics);
  }

  private static void bindReductions(ReductionThreadPool pool, PrometheusMetrics metrics) {
    metrics
        .gauge("weir_reductions_queued", "Large reductions that wait for a thread", pool::waiting)
        .gauge("weir_reductions_running", "Large reductions that run", pool::active);
  }

  private static void bindHedging(
      BudgetedAttemptPolicies tails, Supplier<RequestPolicy> standard, MetricRegistry metrics) {
    AttemptCounts tail = tails.counts();
    metrics
        .table(
            new MetricTable<AttemptCounts.Count>(
                tail::attemptsByNodeAndReason,
                count -> Map.of("node", count.nodeId(), "reason", count.reason()),
                List.of(
                    Column.counter(
                        "weir_copy_selections",
                        "Requests to shard copies, by the reason for the choice",
                        AttemptCounts.Count::count))))
        .table(
            new MetricTable<AttemptCounts.Count>(
                tail::hedgesByOutcome,
                count -> Map.of("outcome", count.reason()),
                List.of(
                    Column.counter(
                        "weir_hedges", "Hedged requests, by outcome", AttemptCounts.Count::count))))
        .table(
            new MetricTable<AttemptCounts.Count>(
                tail::retriesByReason,
                count -> Map.of("reason", count.reason()),
                List.of(
                    Column.counter(
                        "weir_retries",
                        "Failures of a copy after which the next copy was tried, by kind of"
                            + " failure",
                        AttemptCounts.Count::count))))
        .table(
            new MetricTable<AttemptCounts.Count>(
                tail::restartsByReason,
                count -> Map.of("reason", count.reason()),
                List.of(
                    Column.counter(
                        "weir_search_restarts",
                        "Searches that started over because a node was lost between query and"
                            + " fetch, by reason",
                        AttemptCounts.Count::count))))
        .gauge(
            "weir_hedge_tokens",
            "Hedged requests that the budget allows now, without budgets of named policies",
            () -> tails.hedgeTokens(standard.get()));
  }

  private static void bindReloads(Gateway gateway, PrometheusMetrics metrics) {
    metrics
        .gauge(
            "weir_config_rejected",
            "1 while the configuration file is invalid and the previous configuration is in force",
            () -> gateway.activePolicy().state().problems().isEmpty() ? 0 : 1)
        .gauge(
            "weir_config_restart_required_keys",
            "Changed configuration keys that take effect at the next start",
            () -> gateway.activePolicy().state().restartKeys().size());
    metrics.table(
        new MetricTable<String>(
            () -> List.of("applied", "rejected"),
            result -> Map.of("result", result),
            List.of(
                Column.counter(
                    "weir_config_reloads",
                    "Changed configuration files, by result",
                    result ->
                        result.equals("applied")
                            ? gateway.activePolicy().appliedCount()
                            : gateway.activePolicy().refusedCount()))));
  }

  private static void bindCluster(ClusterConnection backend, MetricRegistry metrics) {
    metrics
        .gauge(
            "weir_cluster_view_version",
            "Version of the newest cluster state",
            () -> backend.follower().status().position().version())
        .gauge(
            "weir_cluster_view_age_seconds",
            "Seconds since a node last confirmed the newest cluster state",
            () -> backend.follower().status().age().toNanos() / NANOS)
        .gauge(
            "weir_cluster_nodes",
            "Nodes in the newest cluster state",
            () -> backend.follower().status().nodes().known())
        .gauge(
            "weir_cluster_connected_nodes",
            "Nodes with an open channel",
            () -> backend.follower().status().nodes().connected())
        .counter(
            "weir_cluster_replacements",
            "Times that a new cluster took the place of the followed one at the same addresses",
            backend.follower()::replacements);
  }

  private static void bindProxy(NodeProxy proxy, MetricRegistry metrics) {
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
            "weir_proxy_failures",
            "Pass-through requests that ended without a complete response of a node",
            () -> proxy.stats().failures());
  }

  private static void bindTransport(ClusterConnection backend, MetricRegistry metrics) {
    metrics
        .gauge(
            "weir_transport_held_frames",
            "Frames received from nodes that are still in memory",
            () -> backend.transportClients().stats().heldFrames())
        .gauge(
            "weir_transport_held_bytes",
            "Bytes of frames received from nodes that are still in memory",
            () -> backend.transportClients().stats().heldBytes())
        .gauge(
            "weir_transport_unsent_bytes",
            "Bytes of requests that wait for a node's socket",
            () -> backend.transportClients().stats().unsentBytes());
  }

  private static void bindResponseMemory(MemoryPool replies, PrometheusMetrics metrics) {
    metrics
        .gauge(
            "weir_transport_held_limit_bytes",
            "Limit of the bytes of received frames in memory, all clusters together",
            replies::limitBytes)
        .counter(
            "weir_transport_frame_rejections",
            "Responses of nodes rejected because the limit of frame bytes was reached",
            replies::rejections);
  }

  private static void bindTransportMemory(TransportMemory memory, PrometheusMetrics metrics) {
    metrics
        .gauge(
            "weir_transport_unsent_limit_bytes",
            "Limit of the bytes that wait for sockets, all clusters together",
            memory::maxUnsentBytes)
        .gauge(
            "weir_transport_pooled_bytes",
            "Bytes of heap arrays kept for large frames, all clusters together",
            memory::pooledBytes);
  }

  private static void bindAllocator(EventLoops loops, PrometheusMetrics metrics) {
    if (loops.allocator() instanceof ByteBufAllocatorMetricProvider allocator) {
      metrics
          .gauge(
              "weir_netty_direct_bytes",
              "Bytes of direct memory reserved by Netty's allocator",
              () -> allocator.metric().usedDirectMemory())
          .gauge(
              "weir_netty_heap_bytes",
              "Bytes of heap memory reserved by Netty's allocator",
              () -> allocator.metric().usedHeapMemory());
    }
  }

  private static void bindNodes(ClusterConnection backend, MetricRegistry metrics) {
    metrics
        .table(
            new MetricTable<>(
                () -> backend.loadTracker().snapshots(),
                GatewayMetricsBinder::labels,
                loadColumns(backend.selector())))
        .table(
            new MetricTable<TransportStats.Node>(
                () -> backend.transportClients().stats().nodes(),
                node -> Map.of("node", node.id(), "name", node.name()),
                transportColumns()));
  }

  private static Map<String, String> labels(NodeLoadSnapshot view) {
    return Map.of("node", view.nodeId(), "phase", DisplayFormat.toKebabCase(view.phase()));
  }

  private static List<Column<NodeLoadSnapshot>> loadColumns(ReplicaSelector selector) {
    return List.of(
        Column.gauge(
            "weir_node_outstanding_calls",
            "Calls to the node without a response yet",
            view -> view.load().outstanding()),
        Column.gauge(
            "weir_node_response_seconds",
            "Average response time in seconds, seen by the gateway",
            view -> view.load().responseNanos() / NANOS),
        Column.gauge(
            "weir_node_service_seconds",
            "Average service time in seconds, reported by the node",
            view -> view.load().serviceNanos() / NANOS),
        Column.gauge(
            "weir_node_queue_size",
            "Queue size reported by the node",
            view -> view.load().queueSize()),
        Column.gauge(
            "weir_node_error_ratio",
            "Recent failures as a share of calls, 0 to 1",
            view -> view.load().errorRate()),
        Column.gauge(
            "weir_node_score",
            "Score by which copies are ordered; the smallest comes first",
            view -> score(selector, view)),
        Column.gauge(
            "weir_node_ejected",
            "1 while the node is ejected and tried last",
            view -> view.health().ejected() ? 1 : 0));
  }

  private static double score(ReplicaSelector selector, NodeLoadSnapshot view) {
    ShardCopy copy = new ShardCopy(view.nodeId(), "", false, false, Map.of());
    return selector.explain(List.of(copy), view.phase()).candidates().getFirst().score();
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
            "weir_transport_received_responses",
            "Responses received",
            TransportStats.Node::responses),
        Column.counter(
            "weir_transport_timeouts", "Calls that timed out", TransportStats.Node::timeouts),
        Column.counter(
            "weir_transport_rejections",
            "Calls that were not sent because a limit of the gateway was reached",
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
