package dev.weir.gateway;

import dev.weir.bluegreen.dual.DualWriteTarget;
import dev.weir.bluegreen.traffic.UpstreamCluster;
import dev.weir.cluster.SecurityPluginDetector;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.gateway.coalesce.SearchCoalescer;
import dev.weir.http.proxy.LeastOutstandingTargetSelector;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.responses.export.ExportService;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.GatewayAddressProvider;
import dev.weir.rest.StreamingBulkCounts;
import dev.weir.routing.traffic.IndexRenamer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All of the gateway that serves one cluster. Safe on any thread. */
final class ClusterRuntime implements UpstreamCluster, AutoCloseable {
  private static final Duration AVOID_UNREACHABLE = Duration.ofSeconds(2);

  private final CloseableStack closers = new CloseableStack();
  private final String name;
  private final ClusterConnection connection;
  private final PruningRuntime pruning;
  private final ExportService exportService;
  private final CoordinationPipeline coordination;
  private final SearchCoalescer coalescing;
  private final NodeProxy proxy;
  private final RequestPipeline pipeline;
  private final IndexRenamer indexRename;
  private final KnownNodeIds knownNodeIds = new KnownNodeIds();

  /**
   * Creates a runtime that does nothing until its cluster's follower is started.
   *
   * @param name one of the policy's clusters
   * @param registries of this cluster alone: they hold its stored scripts
   * @param gateways the addresses that clients get instead of the nodes'; null for the nodes'
   * @throws IOException when a file that the policy names can't be used
   */
  ClusterRuntime(
      String name,
      GatewayPolicy policy,
      SharedServices shared,
      OpenSearchRegistries registries,
      @Nullable GatewayAddressProvider gateways)
      throws IOException {
    ClusterPolicy cluster = policy.clusters().get(name);
    if (cluster == null) {
      throw new IllegalArgumentException("got [" + name + "] (expected: a configured cluster)");
    }
    this.name = name;
    this.indexRename =
        cluster.indexRenames().isEmpty()
            ? IndexRenamer.NONE
            : new IndexRenamer(cluster.indexRenames());
    try {
      this.connection = closers.add(ClusterConnection.connect(policy, cluster, shared, registries));
      BooleanSupplier nodesAuthenticate = nodesAuthenticate(name, cluster, connection);
      ClusterContext context =
          new ClusterContext(
              name,
              shared,
              connection,
              registries,
              nodesAuthenticate,
              policy.clusters().size() > 1);
      this.pruning =
          closers.add(
              PruningRuntime.create(
                  policy.search().timePruning(), connection, shared.limits()::isBusy));
      this.exportService =
          new ExportService(
              connection.follower(),
              registries.writeables(),
              shared.scheduler()::scheduleCancellable,
              shared.features().exports(),
              policy.responses().export());
      this.coordination =
          closers.add(
              CoordinationPipeline.create(context, gateways, exportService, pruning.timePruning()));
      this.coalescing =
          new SearchCoalescer(
              shared.policySections().narrow(PolicySettings::coalescing),
              () -> connection.follower().status().position(),
              TrimmingStatsReporter.audience(shared.features().trimming()));
      this.pipeline = new RequestPipeline(context, coalescing, coordination.dispatcher());
      this.proxy = proxy(cluster, connection, shared);
      closers.add(proxy::close);
      connection.follower().addListener(knownNodeIds);
      connection
          .follower()
          .addListener((before, after) -> {
            if (!after.isSameCluster(before)) {
              coalescing.onRefresh(); // a rebuilt cluster counts its states from the start
            }
          });
      shared.features().shadowReads().register(this);
      shared
          .features()
          .dualWrites()
          .register(
              name,
              coordination.actions(),
              () -> writeBlock(connection, nodesAuthenticate),
              cluster.indexRenames(),
              connection.follower());
    } catch (IOException | RuntimeException e) {
      closers.close();
      throw e;
    }
  }

  private static NodeProxy proxy(
      ClusterPolicy cluster, ClusterConnection connection, SharedServices shared)
      throws IOException {
    return new NodeProxy(
        HttpOptionsFactory.proxyOptions(cluster),
        new LeastOutstandingTargetSelector(
            connection::restAddresses, AVOID_UNREACHABLE, System::nanoTime),
        shared.eventLoops().socketChannel(),
        shared.eventLoops().allocator(),
        TlsContextFactory.restClientContext(cluster.restTls()),
        System::nanoTime);
  }

  /** Whether the nodes authenticate requests, which the gateway doesn't. */
  private static BooleanSupplier nodesAuthenticate(
      String name, ClusterPolicy cluster, ClusterConnection connection) {
    if (cluster.authorization() != ClusterPolicy.Authorization.NODES) {
      connection.follower().addListener(new UnauthenticatedAccessWarning(name));
      return () -> false;
    }
    SecurityPluginDetector secured = new SecurityPluginDetector();
    connection.follower().addListener(secured);
    boolean encrypted = cluster.transportTls().enabled();
    return () -> encrypted || secured.getAsBoolean();
  }

  private static DualWriteTarget.@Nullable Unavailable writeBlock(
      ClusterConnection connection, BooleanSupplier nodesAuthenticate) {
    if (nodesAuthenticate.getAsBoolean()) {
      return DualWriteTarget.Unavailable.SECURED;
    }
    return connection.unavailableReason() == null ? null : DualWriteTarget.Unavailable.UNREACHABLE;
  }

  @Override
  public String name() {
    return name;
  }

  ClusterConnection connection() {
    return connection;
  }

  PruningRuntime pruning() {
    return pruning;
  }

  SearchCoalescer coalescing() {
    return coalescing;
  }

  /** Executes actions on this cluster alone, without a deadline. */
  ActionExecutor actions() {
    return coordination.actions();
  }

  int runningActions() {
    return coordination.dispatcher().runningActions();
  }

  StreamingBulkCounts streamingBulkCounts() {
    return coordination.dispatcher().streamingBulkCounts();
  }

  @Override
  public NodeProxy proxy() {
    return proxy;
  }

  @Override
  public IndexRenamer indexRename() {
    return indexRename;
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
    return router(RequestPolicy.NONE);
  }

  @Override
  public RequestRouter router(RequestPolicy policy) {
    return pipeline.router(policy);
  }

  @Override
  public RequestHandler handler() {
    return handler(RequestPolicy.NONE);
  }

  @Override
  public RequestHandler handler(RequestPolicy policy) {
    return pipeline.handler(policy);
  }

  @Override
  public RequestHandler internalHandler() {
    return pipeline.internalHandler();
  }

  @Override
  public boolean hasNode(String nodeId) {
    return knownNodeIds.contains(nodeId);
  }

  /** What of this cluster follows a changed configuration. */
  List<ReloadablePart> reloadableParts() {
    return List.of(
        ReloadablePart.ofSection(
            next -> next.routing().gatewayAttributes(), connection::setGatewayAttributes),
        ReloadablePart.ofSection(next -> next.routing().explain(), connection::updateExplain),
        ReloadablePart.ofSection(GatewayPolicy::bulk, connection::updateBulk),
        ReloadablePart.ofSection(GatewayPolicy::admission, connection::updateAdmission),
        ReloadablePart.ofSection(next -> next.responses().export(), exportService::setPolicy),
        ReloadablePart.ofSection(next -> next.search().timePruning(), pruning::updatePolicy));
  }

  /** Sets the policy of what doesn't belong to a single request. */
  void setDefaultPolicy(RequestPolicy compiled) {
    connection.selector().setDefaultPolicy(compiled);
  }

  @Override
  public void close() {
    closers.close();
  }
}
