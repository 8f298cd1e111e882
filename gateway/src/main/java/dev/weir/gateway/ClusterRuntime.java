package dev.weir.gateway;

import dev.weir.bluegreen.dual.DualWriteTarget;
import dev.weir.bluegreen.traffic.UpstreamCluster;
import dev.weir.cluster.SecurityPluginDetector;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.gateway.coalesce.SearchCoalescer;
import dev.weir.http.proxy.LeastOutstandingTargetSelector;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.responses.export.ExportService;
import dev.weir.rest.GatewayAddressProvider;
import dev.weir.routing.traffic.IndexRenamer;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All of the gateway that serves one cluster.
 *
 * @param name the cluster's name in the configuration
 * @param connection the cluster as it is reached
 * @param pruning leaves its indices out of searches by time
 * @param exportService exports from it
 * @param pipeline coordinates its requests
 * @param coalescing has identical searches of it run once
 * @param proxy the way through to its nodes
 * @param routers say which requests of a policy are coordinated
 * @param handler takes those
 * @param indexRename what its indices are called that clients call otherwise
 * @param knownNodeIds the nodes that it has or had
 * @param dualWrites has its writes repeated on other clusters
 * @param closers close what of it has to be closed
 */
record ClusterRuntime(
    String name,
    ClusterConnection connection,
    PruningRuntime pruning,
    ExportService exportService,
    CoordinationPipeline pipeline,
    SearchCoalescer coalescing,
    NodeProxy proxy,
    RequestPolicy.Section<RequestRouter> routers,
    RequestHandler handler,
    IndexRenamer indexRename,
    KnownNodeIds knownNodeIds,
    DualWriteService dualWrites,
    CloseableStack closers)
    implements UpstreamCluster, AutoCloseable {
  private static final Duration AVOID_UNREACHABLE = Duration.ofSeconds(2);

  /**
   * Makes one that does nothing until its backend's follower is started.
   *
   * @param name one of the policy's clusters
   * @param policy the one in force now
   * @param commons what it shares with the others
   * @param registries its own: they hold the cluster's stored scripts
   * @param gateways whom clients find that ask for the nodes' addresses; null for the nodes
   * @throws IOException when a file that the policy names can't be used
   */
  static ClusterRuntime create(
      String name,
      Supplier<GatewayPolicy> policy,
      SharedServices commons,
      OpenSearchRegistries registries,
      @Nullable GatewayAddressProvider gateways)
      throws IOException {
    GatewayPolicy now = policy.get();
    ClusterPolicy cluster = now.clusters().get(name);
    if (cluster == null) {
      throw new IllegalArgumentException("got [" + name + "] (expected: a configured cluster)");
    }
    CloseableStack made = new CloseableStack();
    try {
      ClusterConnection backend =
          made.add(ClusterConnection.connect(now, cluster, commons, registries));
      PruningRuntime pruning =
          made.add(PruningRuntime.create(now.search().timePruning(), backend, commons::isBusy));
      ExportService exports =
          new ExportService(
              backend.follower(),
              registries.writeables(),
              commons.scheduler()::scheduleCancellable,
              commons.exportCounts(),
              now.responses().export());
      CoordinationPipeline walk =
          made.add(
              CoordinationPipeline.create(
                  name, registries, backend, commons, gateways, exports, pruning.timePruning()));
      SearchCoalescer coalescing =
          new SearchCoalescer(
              commons.policySections().narrow(PolicySettings::coalescing),
              walk.dispatcher(),
              () -> backend.follower().status().position(),
              TrimmingStatsReporter.audience(commons.trimming()));
      NodeProxy proxy = proxy(cluster, backend, commons);
      made.add(proxy::close);
      KnownNodeIds known = new KnownNodeIds();
      backend.follower().addListener(known);
      backend
          .follower()
          .addListener((before, after) -> {
            if (!after.isSameCluster(before)) {
              coalescing.onRefresh(); // positions begin anew in a cluster that was built anew
            }
          });
      BooleanSupplier checks = nodesAuthenticate(name, cluster, backend);
      commons
          .dualWrites()
          .register(
              name,
              walk.actions(),
              () -> writeBlock(backend, checks),
              cluster.indexRenames(),
              backend.follower());
      return new ClusterRuntime(
          name,
          backend,
          pruning,
          exports,
          walk,
          coalescing,
          proxy,
          routers(
              commons.policySections().narrow(says -> says.bulk().streaming()),
              checks,
              backend,
              walk,
              coalescing),
          new ClusterAvailabilityFilter(
              backend::unavailableReason,
              new ConcurrencyLimitFilter(
                  commons.admissionController(),
                  commons.bulkheads(),
                  new RejectionRecorder(commons.recentRefusals()),
                  coalescing)),
          cluster.indexRenames().isEmpty()
              ? IndexRenamer.NONE
              : new IndexRenamer(cluster.indexRenames()),
          known,
          commons.dualWrites(),
          made);
    } catch (IOException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  private static NodeProxy proxy(
      ClusterPolicy cluster, ClusterConnection backend, SharedServices commons) throws IOException {
    return new NodeProxy(
        HttpOptionsFactory.proxyOptions(cluster),
        new LeastOutstandingTargetSelector(
            backend::restAddresses, AVOID_UNREACHABLE, System::nanoTime),
        commons.eventLoops().socketChannel(),
        commons.eventLoops().allocator(),
        TlsContextFactory.restClientContext(cluster.restTls()),
        System::nanoTime);
  }

  /** Whether nodes check who sends a request, and the gateway, which asks them, does not. */
  private static BooleanSupplier nodesAuthenticate(
      String name, ClusterPolicy cluster, ClusterConnection backend) {
    if (cluster.authorization() != ClusterPolicy.Authorization.NODES) {
      backend.follower().addListener(new UnauthenticatedAccessWarning(name));
      return () -> false;
    }
    SecurityPluginDetector secured = new SecurityPluginDetector();
    backend.follower().addListener(secured);
    boolean encrypted = cluster.transportTls().enabled();
    return () -> encrypted || secured.getAsBoolean();
  }

  private static DualWriteTarget.@Nullable Unavailable writeBlock(
      ClusterConnection backend, BooleanSupplier checks) {
    if (checks.getAsBoolean()) {
      return DualWriteTarget.Unavailable.SECURED;
    }
    return backend.unavailableReason() == null ? null : DualWriteTarget.Unavailable.UNREACHABLE;
  }

  /** Says by what policies say of large bulks which requests are coordinated. */
  private static RequestPolicy.Section<RequestRouter> routers(
      PolicySectionRegistry<BulkPolicy.Streaming> sections,
      BooleanSupplier checks,
      ClusterConnection backend,
      CoordinationPipeline walk,
      SearchCoalescer coalescing) {
    return sections.register((name, streaming, before) ->
        new CoalescingInvalidationFilter(
            new MetadataRefreshFilter(
                new SecuredClusterFilter(
                    new BulkStreamingFilter(walk.dispatcher().routes(), streaming), checks),
                backend.follower()),
            coalescing::isEnabled,
            coalescing::onRefresh));
  }

  @Override
  public @Nullable String unavailableReason() {
    String unreachable = connection.unavailableReason();
    if (unreachable != null) {
      return unreachable;
    }
    return connection.restAddresses().isEmpty()
        ? "no node's REST address is known yet: nothing could pass through"
        : null;
  }

  @Override
  public Supplier<String> serverVersion() {
    return connection.serverVersion();
  }

  @Override
  public RequestRouter router() {
    return RequestPolicy.NONE.get(routers);
  }

  @Override
  public RequestRouter router(RequestPolicy policy) {
    return dualWrites.wrap(name, policy, policy.get(routers));
  }

  @Override
  public boolean hasNode(String nodeId) {
    return knownNodeIds.contains(nodeId);
  }

  /** Goes by another policy from now on in what is not for a single request to say. */
  void updatePolicy(GatewayPolicy changed, RequestPolicies requests) {
    connection.updatePolicy(changed.routing(), requests.defaultPolicy());
    connection.updatePolicy(changed.bulk());
    exportService.setPolicy(changed.responses().export());
    pruning.updatePolicy(changed.search().timePruning());
  }

  /** Lets requests in by another policy from now on. */
  void updatePolicy(AdmissionPolicy changed) {
    connection.updatePolicy(changed);
  }

  @Override
  public void close() {
    closers.close();
  }
}
