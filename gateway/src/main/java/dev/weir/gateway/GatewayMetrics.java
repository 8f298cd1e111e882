package dev.weir.gateway;

import dev.weir.admission.MemoryLedger;
import dev.weir.bluegreen.traffic.TrafficFigures;
import dev.weir.core.coordinate.LateBinder;
import dev.weir.core.coordinate.RoutedTails;
import dev.weir.core.coordinate.TailCounts;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.observe.Figures;
import dev.weir.observe.Metrics;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import dev.weir.observe.PartFigures;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.model.Shown;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportMemory;
import dev.weir.protocol.TransportStats;
import dev.weir.routing.LoadView;
import dev.weir.routing.ReplicaSelector;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Supplier;

/** Shows the rooms' own numbers as metrics. */
final class GatewayMetrics {
  private static final double NANOS = 1e9;

  private GatewayMetrics() {}

  static void bind(Gateway gateway, Metrics metrics, EventLoops loops) {
    metrics
        .gauge(
            "weir_requests_in_flight",
            "Coordinated requests let in and not finished",
            () -> gateway.admission().inFlight())
        .counter(
            "weir_requests_refused",
            "Requests refused because too many were in flight",
            () -> gateway.admission().refused())
        .gauge(
            "weir_http_connections",
            "Open client connections",
            () -> gateway.server().connections())
        .gauge("weir_body_bytes", "Bytes of request bodies held", () -> gateway.bodies().held())
        .gauge(
            "weir_body_bytes_limit",
            "Bytes of request bodies that may be held",
            () -> gateway.bodies().limitBytes())
        .counter(
            "weir_body_bytes_refused",
            "How often a body was refused for lack of memory",
            () -> gateway.bodies().refused())
        .gauge("weir_draining", "1 while draining", () -> gateway.draining() ? 1 : 0);
    PacingStats.bind(gateway.gate().pacer(), metrics);
    Commons commons = gateway.commons();
    commons.deadlines().bind(metrics);
    TrimmingFigures.bind(commons.trimming(), metrics);
    ExportFigures.bind(commons.exported(), metrics);
    SamplingFigures.bind(commons.sampling().counts(), metrics);
    PolicyFigures.bind(gateway.traffic()::requests, gateway.bulkheads(), metrics);
    ShadowFigures.bind(gateway.shadows().desk(), metrics);
    TrafficFigures.bind(gateway.traffic(), metrics);
    DualFigures.bind(commons.duals().counts(), metrics);
    bindReloads(gateway, metrics);
    bindReplies(commons.replies(), metrics);
    bindMemory(commons.transport(), metrics);
    bindAllocator(loops, metrics);
    RequestMemoryStats.bind(gateway.memory(), metrics);
    LoopLag.bind(loops, metrics);
    bindReductions(commons.reductions(), metrics);
    PartFigures clusters = new PartFigures("cluster");
    gateway.sides().all().forEach(side -> bind(gateway, side, clusters.of(side.name())));
    clusters.showIn(metrics);
  }

  private static void bind(Gateway gateway, Side side, Figures metrics) {
    Backend backend = side.backend();
    bindCluster(backend, metrics);
    bindNodes(backend, metrics);
    bindTransport(backend, metrics);
    bindProxy(side.proxy(), metrics);
    bindTail(backend.tails(), () -> gateway.traffic().requests().standard(), metrics);
    bindBinder(backend.binder(), metrics);
    QueueStats.bind(backend.queues().queues(), metrics);
    CoalescingFigures.bind(side.coalescing(), metrics);
    PruningFigures.bind(side.pruning(), metrics);
    BulkFigures.bind(backend, metrics);
    BulkFigures.bind(side.walk().door().streamedBulks(), metrics);
    WayInFigures.bind(backend.wayIn(), metrics);
  }

  private static void bindReductions(ThreadPoolExecutor pool, Metrics metrics) {
    metrics
        .gauge(
            "weir_reductions_waiting",
            "Big reductions that wait for a thread",
            () -> pool.getQueue().size())
        .gauge("weir_reductions_running", "Big reductions that run", pool::getActiveCount);
  }

  private static void bindTail(
      RoutedTails tails, Supplier<RequestPolicy> standard, Figures metrics) {
    TailCounts tail = tails.counts();
    metrics
        .table(
            new NodeTable<TailCounts.Count>(
                tail::choices,
                count -> Map.of("node", count.nodeId(), "reason", count.reason()),
                List.of(
                    Column.counter(
                        "weir_copy_choices", "Copies asked, by why", TailCounts.Count::count))))
        .table(
            new NodeTable<TailCounts.Count>(
                tail::hedgesByOutcome,
                count -> Map.of("outcome", count.reason()),
                List.of(
                    Column.counter(
                        "weir_hedges",
                        "Second requests for late reads, by what became of them",
                        TailCounts.Count::count))))
        .table(
            new NodeTable<TailCounts.Count>(
                tail::retriesByReason,
                count -> Map.of("reason", count.reason()),
                List.of(
                    Column.counter(
                        "weir_retries",
                        "Failures of a copy after which the next one was asked, by their kind",
                        TailCounts.Count::count))))
        .table(
            new NodeTable<TailCounts.Count>(
                tail::restartsByReason,
                count -> Map.of("reason", count.reason()),
                List.of(
                    Column.counter(
                        "weir_search_restarts",
                        "Searches that started over because a node was lost with what it held for"
                            + " them, by how",
                        TailCounts.Count::count))))
        .gauge(
            "weir_hedge_tokens",
            "Second requests that may be sent at once, without those of routes' own policies",
            () -> tails.hedgeTokens(standard.get()));
  }

  private static void bindBinder(LateBinder binder, Figures metrics) {
    metrics
        .gauge(
            "weir_routing_waiting",
            "Reads that wait here until one of their copies has room",
            binder::waiting)
        .counter(
            "weir_routing_waited",
            "Reads that waited here for a copy with room",
            () -> binder.totals().waited())
        .counter(
            "weir_routing_waited_seconds",
            "For how long they waited, together",
            () -> binder.totals().waitedNanos() / NANOS)
        .counter(
            "weir_routing_waited_too_long",
            "Reads that were sent without room because they had waited too long",
            () -> binder.totals().expired())
        .counter(
            "weir_routing_wait_bound_reached",
            "Reads that were sent without room because too many waited for the same copies",
            () -> binder.totals().unfit());
  }

  private static void bindReloads(Gateway gateway, Metrics metrics) {
    metrics
        .gauge(
            "weir_config_refused",
            "1 while the file of the configuration is refused and the last good one is in force",
            () -> gateway.inForce().state().problems().isEmpty() ? 0 : 1)
        .gauge(
            "weir_config_needs_restart",
            "Keys of the configuration that differ in its file and take effect at the next start",
            () -> gateway.inForce().state().pending().size());
    metrics.table(
        new NodeTable<String>(
            () -> List.of("applied", "refused"),
            result -> Map.of("result", result),
            List.of(
                Column.counter(
                    "weir_config_reload",
                    "Changed configurations read while running, by what became of them",
                    result ->
                        result.equals("applied")
                            ? gateway.inForce().applied()
                            : gateway.inForce().refused()))));
  }

  private static void bindCluster(Backend backend, Figures metrics) {
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
            "weir_cluster_nodes_connected",
            "Nodes that a channel is open to",
            () -> backend.follower().status().nodes().connected())
        .counter(
            "weir_cluster_rebuilt",
            "Times that another cluster was found at the addresses of the one that was followed",
            backend.follower()::rebuilt);
  }

  private static void bindProxy(NodeProxy proxy, Figures metrics) {
    metrics
        .gauge(
            "weir_proxy_connections",
            "Connections to nodes' REST ports, open or being opened",
            () -> proxy.stats().connections())
        .gauge(
            "weir_proxy_waiting",
            "Requests that wait for a connection to a node's REST port",
            () -> proxy.stats().waiting())
        .gauge(
            "weir_proxy_in_flight",
            "Requests on their way through a node's REST port, waiting ones too",
            () -> proxy.stats().underWay())
        .counter(
            "weir_proxy_retries",
            "Requests sent through again after their connection broke or could not be made",
            () -> proxy.stats().retries())
        .counter(
            "weir_proxy_failures",
            "Requests that passed through and ended without a node's whole answer",
            () -> proxy.stats().failures());
  }

  private static void bindTransport(Backend backend, Figures metrics) {
    metrics
        .gauge(
            "weir_transport_held_frames",
            "Received frames whose memory is held",
            () -> backend.clients().stats().heldFrames())
        .gauge(
            "weir_transport_held_bytes",
            "Bytes of received frames held",
            () -> backend.clients().stats().heldBytes())
        .gauge(
            "weir_transport_unsent_bytes",
            "Bytes of requests to nodes that wait for their sockets",
            () -> backend.clients().stats().unsentBytes());
  }

  private static void bindReplies(MemoryLedger replies, Metrics metrics) {
    metrics
        .gauge(
            "weir_transport_held_bytes_limit",
            "Bytes of received frames that may be held, of all clusters together",
            replies::limitBytes)
        .counter(
            "weir_transport_frames_refused",
            "Answers refused for lack of memory",
            replies::refused);
  }

  private static void bindMemory(TransportMemory memory, Metrics metrics) {
    metrics
        .gauge(
            "weir_transport_unsent_bytes_limit",
            "Bytes of requests to nodes that may wait for sockets, of all clusters together",
            memory::mostUnsentBytes)
        .gauge(
            "weir_transport_kept_bytes",
            "Bytes of heap kept for large frames to come, of whichever cluster",
            memory::keptBytes);
  }

  private static void bindAllocator(EventLoops loops, Metrics metrics) {
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

  private static void bindNodes(Backend backend, Figures metrics) {
    metrics
        .table(
            new NodeTable<>(
                () -> backend.loads().views(),
                GatewayMetrics::labels,
                loadColumns(backend.selector())))
        .table(
            new NodeTable<TransportStats.Node>(
                () -> backend.clients().stats().nodes(),
                node -> Map.of("node", node.id(), "name", node.name()),
                transportColumns()));
  }

  private static Map<String, String> labels(LoadView view) {
    return Map.of("node", view.nodeId(), "phase", Shown.word(view.phase()));
  }

  private static List<Column<LoadView>> loadColumns(ReplicaSelector selector) {
    return List.of(
        Column.gauge(
            "weir_node_outstanding",
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
        Column.gauge("weir_node_queue", "q: queue as reported", view -> view.load().queueSize()),
        Column.gauge(
            "weir_node_error_rate", "Share of failures lately", view -> view.load().errorRate()),
        Column.gauge(
            "weir_node_score",
            "Score by which the policy in force orders copies, smaller is better",
            view -> score(selector, view)),
        Column.gauge(
            "weir_node_ejected",
            "1 while the node is tried last",
            view -> view.trust().ejected() ? 1 : 0));
  }

  private static double score(ReplicaSelector selector, LoadView view) {
    ShardCopy copy = new ShardCopy(view.nodeId(), "", false, false, Map.of());
    return selector.explain(List.of(copy), view.phase()).candidates().getFirst().score();
  }

  private static List<Column<TransportStats.Node>> transportColumns() {
    return List.of(
        Column.gauge("weir_node_info", "1, with the name of the node", node -> 1),
        Column.gauge("weir_transport_channels", "Open channels", TransportStats.Node::openChannels),
        Column.gauge("weir_transport_in_flight", "Calls in flight", TransportStats.Node::inFlight),
        Column.gauge(
            "weir_transport_pending", "Calls waiting for a channel", TransportStats.Node::pending),
        Column.counter("weir_transport_sent", "Requests sent", TransportStats.Node::sent),
        Column.counter("weir_transport_answered", "Answers read", TransportStats.Node::answered),
        Column.counter(
            "weir_transport_timed_out", "Calls that timed out", TransportStats.Node::timedOut),
        Column.counter("weir_transport_refused", "Calls refused", TransportStats.Node::refused),
        Column.counter(
            "weir_transport_orphans",
            "Answers that nobody waited for any more",
            TransportStats.Node::orphans),
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
