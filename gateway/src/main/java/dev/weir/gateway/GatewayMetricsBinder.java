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
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Supplier;

/** Shows the rooms' own numbers as metrics. */
final class GatewayMetricsBinder {
  private static final double NANOS = 1e9;

  private GatewayMetricsBinder() {}

  static void bind(Gateway gateway, PrometheusMetrics metrics, EventLoops loops) {
    metrics
        .gauge(
            "weir_requests_in_flight",
            "Coordinated requests let in and not finished",
            () -> gateway.admission().inFlight())
        .counter(
            "weir_request_rejections",
            "Requests refused because too many were in flight",
            () -> gateway.admission().rejected())
        .gauge(
            "weir_http_connections",
            "Open client connections",
            () -> gateway.server().openConnections())
        .gauge(
            "weir_body_memory_bytes",
            "Bytes of request bodies held",
            () -> gateway.bodyMemory().usedBytes())
        .gauge(
            "weir_body_memory_limit_bytes",
            "Bytes of request bodies that may be held",
            () -> gateway.bodyMemory().limitBytes())
        .counter(
            "weir_body_memory_rejections",
            "How often a body was refused for lack of memory",
            () -> gateway.bodyMemory().rejections())
        .gauge("weir_draining", "1 while draining", () -> gateway.isDraining() ? 1 : 0);
    PacingStatsReporter.bind(gateway.headerAdmission().pacer(), metrics);
    SharedServices commons = gateway.sharedServices();
    commons.deadlines().bind(metrics);
    TrimmingStatsReporter.bind(commons.trimming(), metrics);
    ExportStatsReporter.bind(commons.exportCounts(), metrics);
    SamplingStatsReporter.bind(commons.sampling().counts(), metrics);
    PolicyStatsReporter.bind(
        gateway.clusterRouter()::requestPolicies, gateway.bulkheads(), metrics);
    ShadowStatsReporter.bind(gateway.shadowReads().service(), metrics);
    TrafficStatsReporter.bind(gateway.clusterRouter(), metrics);
    DualWriteStatsReporter.bind(commons.dualWrites().counts(), metrics);
    bindReloads(gateway, metrics);
    bindResponseMemory(commons.responseMemory(), metrics);
    bindTransportMemory(commons.transportMemory(), metrics);
    bindAllocator(loops, metrics);
    RequestMemoryStatsReporter.bind(gateway.requestMemory(), metrics);
    EventLoopLagMonitor.bind(loops, metrics);
    LogStatsReporter.bind(metrics);
    bindReductions(commons.reductionPool(), metrics);
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
    BulkStatsReporter.bind(side.pipeline().dispatcher().streamingBulkCounts(), metrics);
    WriteTransformStatsReporter.bind(backend.writeTransforms(), metrics);
  }

  private static void bindReductions(ThreadPoolExecutor pool, PrometheusMetrics metrics) {
    metrics
        .gauge(
            "weir_reductions_queued",
            "Big reductions that wait for a thread",
            () -> pool.getQueue().size())
        .gauge("weir_reductions_running", "Big reductions that run", pool::getActiveCount);
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
                        "Copies asked, by why",
                        AttemptCounts.Count::count))))
        .table(
            new MetricTable<AttemptCounts.Count>(
                tail::hedgesByOutcome,
                count -> Map.of("outcome", count.reason()),
                List.of(
                    Column.counter(
                        "weir_hedges",
                        "Second requests for late reads, by what became of them",
                        AttemptCounts.Count::count))))
        .table(
            new MetricTable<AttemptCounts.Count>(
                tail::retriesByReason,
                count -> Map.of("reason", count.reason()),
                List.of(
                    Column.counter(
                        "weir_retries",
                        "Failures of a copy after which the next one was asked, by their kind",
                        AttemptCounts.Count::count))))
        .table(
            new MetricTable<AttemptCounts.Count>(
                tail::restartsByReason,
                count -> Map.of("reason", count.reason()),
                List.of(
                    Column.counter(
                        "weir_search_restarts",
                        "Searches that started over because a node was lost with what it held for"
                            + " them, by how",
                        AttemptCounts.Count::count))))
        .gauge(
            "weir_hedge_tokens",
            "Second requests that may be sent at once, without those of routes' own policies",
            () -> tails.hedgeTokens(standard.get()));
  }

  private static void bindReloads(Gateway gateway, PrometheusMetrics metrics) {
    metrics
        .gauge(
            "weir_config_rejected",
            "1 while the file of the configuration is refused and the last good one is in force",
            () -> gateway.activePolicy().state().problems().isEmpty() ? 0 : 1)
        .gauge(
            "weir_config_restart_required_keys",
            "Keys of the configuration that differ in its file and take effect at the next start",
            () -> gateway.activePolicy().state().restartKeys().size());
    metrics.table(
        new MetricTable<String>(
            () -> List.of("applied", "rejected"),
            result -> Map.of("result", result),
            List.of(
                Column.counter(
                    "weir_config_reloads",
                    "Changed configurations read while running, by what became of them",
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
            "Since a node last confirmed the newest cluster state",
            () -> backend.follower().status().age().toNanos() / NANOS)
        .gauge(
            "weir_cluster_nodes",
            "Nodes in the newest cluster state",
            () -> backend.follower().status().nodes().known())
        .gauge(
            "weir_cluster_connected_nodes",
            "Nodes that a channel is open to",
            () -> backend.follower().status().nodes().connected())
        .counter(
            "weir_cluster_replacements",
            "Times that another cluster was found at the addresses of the one that was followed",
            backend.follower()::replacements);
  }

  private static void bindProxy(NodeProxy proxy, MetricRegistry metrics) {
    metrics
        .gauge(
            "weir_proxy_connections",
            "Connections to nodes' REST ports, open or being opened",
            () -> proxy.stats().connections())
        .gauge(
            "weir_proxy_waiting_requests",
            "Requests that wait for a connection to a node's REST port",
            () -> proxy.stats().waiting())
        .gauge(
            "weir_proxy_in_flight_requests",
            "Requests on their way through a node's REST port, waiting ones too",
            () -> proxy.stats().inFlight())
        .counter(
            "weir_proxy_retries",
            "Requests sent through again after their connection broke or could not be made",
            () -> proxy.stats().retries())
        .counter(
            "weir_proxy_failures",
            "Requests that passed through and ended without a node's whole answer",
            () -> proxy.stats().failures());
  }

  private static void bindTransport(ClusterConnection backend, MetricRegistry metrics) {
    metrics
        .gauge(
            "weir_transport_held_frames",
            "Received frames whose memory is held",
            () -> backend.transportClients().stats().heldFrames())
        .gauge(
            "weir_transport_held_bytes",
            "Bytes of received frames held",
            () -> backend.transportClients().stats().heldBytes())
        .gauge(
            "weir_transport_unsent_bytes",
            "Bytes of requests to nodes that wait for their sockets",
            () -> backend.transportClients().stats().unsentBytes());
  }

  private static void bindResponseMemory(MemoryPool replies, PrometheusMetrics metrics) {
    metrics
        .gauge(
            "weir_transport_held_limit_bytes",
            "Bytes of received frames that may be held, of all clusters together",
            replies::limitBytes)
        .counter(
            "weir_transport_frame_rejections",
            "Answers refused for lack of memory",
            replies::rejections);
  }

  private static void bindTransportMemory(TransportMemory memory, PrometheusMetrics metrics) {
    metrics
        .gauge(
            "weir_transport_unsent_limit_bytes",
            "Bytes of requests to nodes that may wait for sockets, of all clusters together",
            memory::maxUnsentBytes)
        .gauge(
            "weir_transport_pooled_bytes",
            "Bytes of heap kept for large frames to come, of whichever cluster",
            memory::pooledBytes);
  }

  private static void bindAllocator(EventLoops loops, PrometheusMetrics metrics) {
    if (loops.allocator() instanceof ByteBufAllocatorMetricProvider allocator) {
      metrics
          .gauge(
              "weir_netty_direct_bytes",
              "Direct memory that Netty's allocator took",
              () -> allocator.metric().usedDirectMemory())
          .gauge(
              "weir_netty_heap_bytes",
              "Heap memory that Netty's allocator took",
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
            "Calls sent to the node and not answered",
            view -> view.load().outstanding()),
        Column.gauge(
            "weir_node_response_seconds",
            "R: average response time",
            view -> view.load().responseNanos() / NANOS),
        Column.gauge(
            "weir_node_service_seconds",
            "S: average service time as reported",
            view -> view.load().serviceNanos() / NANOS),
        Column.gauge(
            "weir_node_queue_size", "q: queue as reported", view -> view.load().queueSize()),
        Column.gauge(
            "weir_node_error_ratio", "Share of failures lately", view -> view.load().errorRate()),
        Column.gauge(
            "weir_node_score",
            "Score by which the policy in force orders copies, smaller is better",
            view -> score(selector, view)),
        Column.gauge(
            "weir_node_ejected",
            "1 while the node is tried last",
            view -> view.health().ejected() ? 1 : 0));
  }

  private static double score(ReplicaSelector selector, NodeLoadSnapshot view) {
    ShardCopy copy = new ShardCopy(view.nodeId(), "", false, false, Map.of());
    return selector.explain(List.of(copy), view.phase()).candidates().getFirst().score();
  }

  private static List<Column<TransportStats.Node>> transportColumns() {
    return List.of(
        Column.gauge("weir_node_info", "1, with the name of the node", node -> 1),
        Column.gauge("weir_transport_channels", "Open channels", TransportStats.Node::openChannels),
        Column.gauge(
            "weir_transport_in_flight_calls", "Calls in flight", TransportStats.Node::inFlight),
        Column.gauge(
            "weir_transport_pending_calls",
            "Calls waiting for a channel",
            TransportStats.Node::pending),
        Column.counter("weir_transport_sent_requests", "Requests sent", TransportStats.Node::sent),
        Column.counter(
            "weir_transport_received_responses", "Answers read", TransportStats.Node::responses),
        Column.counter(
            "weir_transport_timeouts", "Calls that timed out", TransportStats.Node::timeouts),
        Column.counter(
            "weir_transport_rejections", "Calls refused", TransportStats.Node::rejections),
        Column.counter(
            "weir_transport_orphaned_responses",
            "Answers that nobody waited for any more",
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
