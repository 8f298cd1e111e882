package dev.weir.gateway;

import dev.weir.admission.queue.WorkClass;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.RoutingPolicy;
import dev.weir.config.policy.Treatment;
import dev.weir.core.actions.WayIn;
import dev.weir.core.actions.explain.RecentChoices;
import dev.weir.cluster.ClusterFollower;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.FollowOptions;
import dev.weir.cluster.NodeAccess;
import dev.weir.cluster.Seeds;
import dev.weir.cluster.ServerVersion;
import dev.weir.core.coordinate.LateBinder;
import dev.weir.core.coordinate.QueuedGate;
import dev.weir.core.coordinate.RoutedTails;
import dev.weir.core.coordinate.WriteFlow;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Phase;
import dev.weir.model.RequestPolicy;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportClients;
import dev.weir.protocol.TransportOptions;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.SwitchingSelector;
import dev.weir.routing.write.DirectedShards;
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
 * @param clients the nodes' clients
 * @param follower keeps the view
 * @param loads learns the nodes' load
 * @param selector orders copies
 * @param recent keeps why copies were chosen
 * @param tails decide whether one more copy is asked
 * @param binder lets requests wait for a copy that has room
 * @param directed chooses shards for documents without an id
 * @param wayIn what becomes of writes on their way in
 * @param queues lets requests in when nodes have room
 * @param flow how much of writes goes to a node at once
 * @param version what its nodes say of their version
 */
record Backend(
    TransportClients clients,
    ClusterFollower follower,
    NodeLoadTracker loads,
    SwitchingSelector selector,
    RecentChoices recent,
    RoutedTails tails,
    LateBinder binder,
    DirectedShards directed,
    WayIn wayIn,
    QueuedGate queues,
    WriteFlow flow,
    ServerVersion version)
    implements AutoCloseable {

  /** Safe on any thread, as each call goes to the calling thread's own generator. */
  private static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();

  /**
   * Makes a backend that does nothing until its follower is started.
   *
   * @param cluster one of the policy's
   */
  static Backend of(
      GatewayPolicy policy, ClusterPolicy cluster, Commons commons, OpenSearchRegistries registries)
      throws IOException {
    EventLoops loops = commons.loops();
    KeptRefusals refusals = new KeptRefusals(commons.refusals());
    TransportOptions options =
        options(cluster)
            .withTls(TlsContexts.ofTransport(cluster.transportTls()))
            .withBudget(new LedgerFrames(commons.replies()));
    TransportClients clients =
        new TransportClients(
            loops, registries.writeables(), options, commons.transport(), new SplittableRandom());
    FollowOptions follow =
        new FollowOptions(
            new Seeds(cluster.seeds().stream().map(HostPort::toString).toList()),
            null,
            cluster.stateInterval(),
            new FollowOptions.SelfName("weir", attributes(policy.routing())),
            Map.of());
    ClusterFollower follower =
        new ClusterFollower(follow, NodeAccess.over(clients), registries, System::nanoTime, RANDOM);
    NodeLoadTracker loads = new NodeLoadTracker(policy.routing(), System::nanoTime, RANDOM);
    SwitchingSelector selector =
        new SwitchingSelector(
            loads, commons.policies().of(Treatment::routing), System::nanoTime, RANDOM);
    RecentChoices recent =
        new RecentChoices(
            policy.routing().explain().requests(),
            follower::current,
            selector,
            System::nanoTime,
            System::currentTimeMillis,
            commons.refusals());
    LoopDelays delays = commons.delays();
    QueuedGate queues =
        new QueuedGate(
            policy.admission().queue(),
            policy.admission().tenants()::weight,
            refusals::queue,
            System::nanoTime,
            delays);
    queues.queues().mostWriteBytes(policy.bulk().maxNodeBytes().bytes());
    follower.onChange((before, now) -> {
      dropDeparted(loads, queues, before, now);
      tellThreads(loads, queues, now);
    });
    beat(loads, loops);
    LateBinder binder = new LateBinder(loads, selector, System::nanoTime, delays);
    RoutedTails tails =
        new RoutedTails(
            loads,
            commons.policies().of(Treatment::routing),
            System::nanoTime,
            () -> binder.waiting() > 0 || queues.queues().waiting() > 0 || commons.busy());
    follower.onChange((before, now) -> {
      tails.counts().retainOnly(now.nodes().keySet());
      binder.retainOnly(now.nodes().keySet());
    });
    ServerVersion version = new ServerVersion();
    follower.onChange(version);
    return new Backend(
        clients,
        follower,
        loads,
        selector,
        recent,
        tails,
        binder,
        new DirectedShards(loads, System::nanoTime, RANDOM),
        WayIn.of(commons.policies().of(Treatment::bulk), System::nanoTime),
        queues,
        new WriteFlow(queues.lanes(), policy.bulk().retry(), RANDOM, refusals::late),
        version);
  }

  /**
   * Chooses copies by another policy from now on, where that is not for a single request to say.
   *
   * @param standard the policy of the whole gateway, made ready
   */
  void use(RoutingPolicy policy, RequestPolicy standard) {
    if (!policy.attributes().equals(selector.policy().attributes())) {
      follower.attributes(attributes(policy));
    }
    selector.use(standard);
    recent.resize(policy.explain().requests());
  }

  /** Sends writes to nodes by another policy from now on. */
  void use(BulkPolicy policy) {
    flow.use(policy.retry());
    queues.queues().mostWriteBytes(policy.maxNodeBytes().bytes());
  }

  /** Lets requests in by another policy from now on. */
  void use(AdmissionPolicy policy) {
    queues.use(policy.queue(), policy.tenants()::weight);
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
  @Nullable String unreachable() {
    return follower.unreachable();
  }

  @Override
  public void close() {
    follower.close();
    clients.close();
  }

  private static Map<String, String> attributes(RoutingPolicy policy) {
    Map<String, String> attributes = new LinkedHashMap<>();
    policy.attributes().forEach(own -> attributes.put(own.name(), own.value()));
    return attributes;
  }

  private static TransportOptions options(ClusterPolicy cluster) {
    TransportOptions standard = TransportOptions.standard();
    return standard
        .withCompression(
            switch (cluster.compression()) {
              case OFF -> TransportOptions.Compression.OFF;
              case ON -> TransportOptions.Compression.ON;
              case AUTO -> TransportOptions.Compression.AUTO;
            })
        .withTiming(standard.timing().withConnect(cluster.connectTimeout()));
  }

  /** Pools of a node by the work they do; fetching goes on in the pool of searches. */
  private static void tellThreads(NodeLoadTracker loads, QueuedGate queues, ClusterView now) {
    now.nodes()
        .forEach((id, node) ->
            node.threads()
                .forEach((pool, threads) -> {
                  switch (pool) {
                    case "search" -> {
                      loads.threads(id, Phase.QUERY, threads);
                      loads.threads(id, Phase.FETCH, threads);
                      queues.queues().threads(id, WorkClass.SEARCH, threads);
                    }
                    case "get" -> {
                      loads.threads(id, Phase.GET, threads);
                      queues.queues().threads(id, WorkClass.GET, threads);
                    }
                    case "write" -> {
                      loads.threads(id, Phase.WRITE, threads);
                      queues.queues().threads(id, WorkClass.WRITE, threads);
                    }
                    default -> {
                      // of no interest
                    }
                  }
                }));
  }

  /** Beats on an event loop: a pause of the process, or of that loop, shows as a late beat. */
  private static void beat(NodeLoadTracker loads, EventLoops loops) {
    long every = NodeLoadTracker.BEAT.toMillis();
    loops.group().next().scheduleAtFixedRate(loads::heartbeat, every, every, TimeUnit.MILLISECONDS);
  }

  /** A node that left or was restarted is no longer what was learned of it. */
  private static void dropDeparted(
      NodeLoadTracker loads, QueuedGate queues, ClusterView before, ClusterView now) {
    Map<String, NodeEndpoint> nodes = now.nodes();
    loads.retainOnly(nodes.keySet());
    queues.queues().retainOnly(nodes.keySet());
    before
        .nodes()
        .forEach((id, node) -> {
          NodeEndpoint same = nodes.get(id);
          if (same != null && !same.ephemeralId().equals(node.ephemeralId())) {
            loads.forget(id);
            queues.queues().forget(id);
          }
        });
  }
}
