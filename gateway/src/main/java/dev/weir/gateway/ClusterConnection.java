package dev.weir.gateway;

import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.cluster.ClusterFollower;
import dev.weir.cluster.ClusterFollowerOptions;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.NodeConnector;
import dev.weir.cluster.SeedHosts;
import dev.weir.cluster.ServerVersionHeader;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.NodeAttribute;
import dev.weir.config.policy.PolicySettings;
import dev.weir.config.policy.RoutingPolicy;
import dev.weir.core.actions.WriteTransforms;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.core.coordinate.BudgetedAttemptPolicies;
import dev.weir.core.coordinate.QueuedAdmissionGate;
import dev.weir.core.coordinate.WriteFlowController;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Phase;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportClients;
import dev.weir.protocol.TransportOptions;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.PolicyAwareSelector;
import dev.weir.routing.write.BulkShardSelector;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One cluster as the gateway reaches it: its nodes' clients, the view of its state, what is known
 * of its nodes' load.
 *
 * @param transportClients the nodes' clients
 * @param follower keeps the view
 * @param loadTracker learns the nodes' load
 * @param selector orders copies
 * @param recentChoices keeps why copies were chosen
 * @param tailLatency decide whether one more copy is asked
 * @param bulkShards chooses shards for documents without an id
 * @param writeTransforms what becomes of writes on their way in
 * @param admissionQueues lets requests in when nodes have room
 * @param writeFlow how much of writes goes to a node at once
 * @param serverVersion what its nodes say of their version
 */
record ClusterConnection(
    TransportClients transportClients,
    ClusterFollower follower,
    NodeLoadTracker loadTracker,
    PolicyAwareSelector selector,
    RecentRoutingDecisions recentChoices,
    BudgetedAttemptPolicies tailLatency,
    BulkShardSelector bulkShards,
    WriteTransforms writeTransforms,
    QueuedAdmissionGate admissionQueues,
    WriteFlowController writeFlow,
    ServerVersionHeader serverVersion)
    implements AutoCloseable {

  /** Safe on any thread, as each call goes to the calling thread's own generator. */
  private static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();

  /**
   * Makes a backend that does nothing until its follower is started.
   *
   * @param cluster one of the policy's
   */
  static ClusterConnection connect(
      GatewayPolicy policy,
      ClusterPolicy cluster,
      SharedServices shared,
      OpenSearchRegistries registries)
      throws IOException {
    EventLoops loops = shared.eventLoops();
    RejectionRecorder refusals = shared.limits().rejections();
    TransportOptions options =
        options(cluster)
            .withTls(TlsContextFactory.transportTls(cluster.transportTls()))
            .withBudget(new LedgerFrameBudget(shared.memory().responses()));
    TransportClients clients =
        new TransportClients(
            loops,
            registries.writeables(),
            options,
            shared.memory().transport(),
            new SplittableRandom());
    ClusterFollowerOptions follow =
        new ClusterFollowerOptions(
            new SeedHosts(cluster.seeds().stream().map(HostPort::toString).toList()),
            null,
            cluster.statePollInterval(),
            new ClusterFollowerOptions.GatewayIdentity(
                "weir", attributes(policy.routing().gatewayAttributes())),
            Map.of());
    ClusterFollower follower =
        new ClusterFollower(
            follow, NodeConnector.of(clients), registries, System::nanoTime, RANDOM);
    NodeLoadTracker loads = new NodeLoadTracker(policy.routing(), System::nanoTime, RANDOM);
    PolicyAwareSelector selector =
        new PolicyAwareSelector(
            loads,
            shared.policySections().narrow(PolicySettings::routing),
            System::nanoTime,
            RANDOM);
    RecentRoutingDecisions recent =
        new RecentRoutingDecisions(
            policy.routing().explain().maxRequests(),
            follower::current,
            selector,
            System::nanoTime,
            System::currentTimeMillis,
            refusals.recentRefusals());
    EventLoopScheduler delays = shared.scheduler();
    QueuedAdmissionGate queues =
        new QueuedAdmissionGate(
            policy.admission().queue(),
            policy.admission().tenants()::weightOf,
            refusals::recordQueue,
            System::nanoTime,
            delays);
    queues.queues().setMaxNodeWriteBytes(policy.bulk().maxInFlightBytesPerNode().bytes());
    follower.addListener((before, now) -> {
      removeDepartedNodes(loads, queues, before, now);
      updateThreadCounts(loads, queues, now);
    });
    startPauseDetection(loads, loops);
    BudgetedAttemptPolicies tails =
        new BudgetedAttemptPolicies(
            loads,
            shared.policySections().narrow(PolicySettings::routing),
            System::nanoTime,
            () -> queues.queues().waiting() > 0 || shared.limits().isBusy());
    follower.addListener((before, now) -> tails.counts().retainNodes(now.nodes().keySet()));
    ServerVersionHeader version = new ServerVersionHeader();
    follower.addListener(version);
    return new ClusterConnection(
        clients,
        follower,
        loads,
        selector,
        recent,
        tails,
        new BulkShardSelector(loads, System::nanoTime, RANDOM),
        WriteTransforms.create(
            shared.policySections().narrow(PolicySettings::bulk), System::nanoTime),
        queues,
        new WriteFlowController(
            queues.lanes(), policy.bulk().retry(), RANDOM, refusals::recordLateWrite),
        version);
  }

  /** Announces changed attributes of this gateway to the nodes. */
  void setGatewayAttributes(List<NodeAttribute> changed) {
    follower.setAttributes(attributes(changed));
  }

  /** Changes how many routing decisions are kept. */
  void updateExplain(RoutingPolicy.Explain changed) {
    recentChoices.resize(changed.maxRequests());
  }

  /** Applies changed settings of writes. */
  void updateBulk(BulkPolicy changed) {
    writeFlow.updatePolicy(changed.retry());
    admissionQueues.queues().setMaxNodeWriteBytes(changed.maxInFlightBytesPerNode().bytes());
  }

  /** Applies changed settings of the queues. */
  void updateAdmission(AdmissionPolicy changed) {
    admissionQueues.updatePolicy(changed.queue(), changed.tenants()::weightOf);
  }

  /** The REST addresses of the nodes in the newest view. */
  List<InetSocketAddress> restAddresses() {
    return follower.current().nodes().values().stream()
        .map(NodeEndpoint::http)
        .filter(Objects::nonNull)
        .toList();
  }

  /**
   * Why no node can be reached, and what was tried; null while one can, or may. Cheap while all is
   * well.
   */
  @Nullable String unavailableReason() {
    return follower.unreachableReason();
  }

  @Override
  public void close() {
    follower.close();
    transportClients.close();
  }

  private static Map<String, String> attributes(List<NodeAttribute> configured) {
    Map<String, String> attributes = new LinkedHashMap<>();
    configured.forEach(own -> attributes.put(own.name(), own.value()));
    return attributes;
  }

  private static TransportOptions options(ClusterPolicy cluster) {
    TransportOptions standard = TransportOptions.defaults();
    return standard
        .withCompression(
            switch (cluster.compression()) {
              case OFF -> TransportOptions.Compression.OFF;
              case ON -> TransportOptions.Compression.ON;
              case AUTO -> TransportOptions.Compression.AUTO;
            })
        .withTiming(standard.timing().withConnectTimeout(cluster.connectTimeout()));
  }

  /** Pools of a node by the work they do; fetching goes on in the pool of searches. */
  private static void updateThreadCounts(
      NodeLoadTracker loads, QueuedAdmissionGate queues, ClusterView now) {
    now.nodes()
        .forEach((id, node) ->
            node.threadPoolSizes()
                .forEach((pool, threads) -> {
                  switch (pool) {
                    case "search" -> {
                      loads.setThreadCount(id, Phase.QUERY, threads);
                      loads.setThreadCount(id, Phase.FETCH, threads);
                      queues.queues().setThreads(id, NodeThreadPool.SEARCH, threads);
                    }
                    case "get" -> {
                      loads.setThreadCount(id, Phase.GET, threads);
                      queues.queues().setThreads(id, NodeThreadPool.GET, threads);
                    }
                    case "write" -> {
                      loads.setThreadCount(id, Phase.WRITE, threads);
                      queues.queues().setThreads(id, NodeThreadPool.WRITE, threads);
                    }
                    default -> {
                      // of no interest
                    }
                  }
                }));
  }

  /** Beats on an event loop: a pause of the process, or of that loop, shows as a late beat. */
  private static void startPauseDetection(NodeLoadTracker loads, EventLoops loops) {
    long every = NodeLoadTracker.HEARTBEAT_INTERVAL.toMillis();
    loops
        .group()
        .next()
        .scheduleAtFixedRate(loads::recordHeartbeat, every, every, TimeUnit.MILLISECONDS);
  }

  /** A node that left or was restarted is no longer what was learned of it. */
  private static void removeDepartedNodes(
      NodeLoadTracker loads, QueuedAdmissionGate queues, ClusterView before, ClusterView now) {
    Map<String, NodeEndpoint> nodes = now.nodes();
    loads.retainOnly(nodes.keySet());
    queues.queues().retainNodes(nodes.keySet());
    before
        .nodes()
        .forEach((id, node) -> {
          NodeEndpoint same = nodes.get(id);
          if (same != null && !same.ephemeralId().equals(node.ephemeralId())) {
            loads.forget(id);
            queues.queues().forgetNode(id);
          }
        });
  }
}
