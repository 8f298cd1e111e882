package dev.weir.gateway;

import dev.weir.bluegreen.dual.DualWriteTarget;
import dev.weir.bluegreen.traffic.UpstreamCluster;
import dev.weir.cluster.ExplainPreference;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.core.actions.stats.BulkStatsReporter;
import dev.weir.gateway.admission.QueueStatsReporter;
import dev.weir.gateway.authorization.AuthorizationMode;
import dev.weir.gateway.authorization.AuthorizationStatsReporter;
import dev.weir.gateway.authorization.ClusterAuthorization;
import dev.weir.gateway.authorization.RestTargets;
import dev.weir.gateway.authorization.SecurityDetector;
import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.gateway.network.HttpOptionsFactory;
import dev.weir.gateway.network.ReloadableTlsContext;
import dev.weir.gateway.reload.ReloadablePart;
import dev.weir.gateway.stats.ClusterStatsReporter;
import dev.weir.gateway.stats.NodeLoadStatsReporter;
import dev.weir.gateway.stats.ProxyStatsReporter;
import dev.weir.gateway.stats.RoutingStatsReporter;
import dev.weir.http.proxy.LeastLoadTargetSelector;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.ReleasableRequests;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.observe.StatsReporter;
import dev.weir.protocol.NodesPing;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.GatewayAddressProvider;
import dev.weir.routing.traffic.IndexRenamer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The parts of the gateway that serve one cluster. Safe on any thread. */
final class ClusterRuntime implements UpstreamCluster, AutoCloseable {
  private static final Duration AVOID_UNREACHABLE = Duration.ofSeconds(2);

  private final CloseableStack closers = new CloseableStack();
  private final String name;
  private final ClusterConnection connection;
  private final ClusterAuthorization authorization;
  private final SecurityDetector detector;
  private final ClusterFeatures features;
  private final CoordinationPipeline coordination;
  private final NodeProxy proxy;
  private final RequestPipeline pipeline;
  private final IndexRenamer indexRename;
  private final KnownNodeIds knownNodeIds = new KnownNodeIds();
  private final ReleasableRequests requests = new ReleasableRequests();
  private final boolean hasOtherClusters;

  /**
   * Creates a runtime that does nothing until its cluster's follower is started.
   *
   * @param name one of the policy's clusters
   * @param registries of this cluster alone: they hold its dynamic settings
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
    this.hasOtherClusters = policy.clusters().size() > 1;
    this.indexRename =
        cluster.indexRenames().isEmpty()
            ? IndexRenamer.NONE
            : new IndexRenamer(cluster.indexRenames());
    try {
      this.connection =
          closers.add(
              ClusterConnection.connect(policy, name, cluster, shared.resources(), registries));
      this.authorization = ClusterAuthorization.of(name, cluster.authorization());
      ReloadableTlsContext restTls =
          shared.resources().tlsContexts().restClientContext(name, cluster.restTls());
      this.detector =
          closers.add(
              SecurityDetector.create(
                  authorization, cluster, shared.resources().eventLoops(), restTls));
      connection.nodes().follower().addListener(detector);
      ClusterContext context =
          new ClusterContext(
              name, shared, connection, registries, authorization, requests, hasOtherClusters);
      this.proxy = proxy(policy, cluster, shared, restTls);
      closers.add(proxy::close);
      this.features = closers.add(new ClusterFeatures(policy, context, proxy));
      this.coordination = closers.add(CoordinationPipeline.create(context, features, gateways));
      this.pipeline =
          new RequestPipeline(context, features, coordination.dispatcher(), this::routingMode);
      connection.nodes().follower().addListener(knownNodeIds);
      shared.features().shadowReads().register(this);
      shared
          .features()
          .dualWrites()
          .register(
              name,
              coordination.actions(),
              this::writeBlock,
              cluster.indexRenames(),
              connection.nodes().follower(),
              requests);
    } catch (IOException | RuntimeException e) {
      closers.close();
      throw e;
    }
  }

  private NodeProxy proxy(
      GatewayPolicy policy,
      ClusterPolicy cluster,
      SharedServices shared,
      @Nullable ReloadableTlsContext restTls) {
    RestTargets targets =
        new RestTargets(
            connection.nodes().follower(),
            connection.selection().loadTracker().weights(),
            authorization,
            detector);
    return new NodeProxy(
        HttpOptionsFactory.proxyOptions(
            cluster, policy.http().maxAddressRatio(), shared.resources().eventLoops()),
        new LeastLoadTargetSelector(
            targets, targets::costFactor, AVOID_UNREACHABLE, System::nanoTime),
        shared.resources().eventLoops().socketChannel(),
        shared.resources().eventLoops().allocator(),
        restTls,
        System::nanoTime);
  }

  private DualWriteTarget.@Nullable Unavailable writeBlock() {
    if (authorization.mode() != AuthorizationMode.NONE) {
      return DualWriteTarget.Unavailable.SECURED;
    }
    return connection.nodes().unavailableReason() == null && !requests.isUnresponsive()
        ? null
        : DualWriteTarget.Unavailable.UNREACHABLE;
  }

  /** The mode in force, except that nodes decide where their plugins may filter requests. */
  private AuthorizationMode routingMode() {
    AuthorizationMode mode = authorization.mode();
    return mode == AuthorizationMode.GATEWAY && detector.hasUnknownPlugins()
        ? AuthorizationMode.DELEGATE
        : mode;
  }

  @Override
  public String name() {
    return name;
  }

  ClusterConnection connection() {
    return connection;
  }

  /** Who checks a client's permissions on this cluster. */
  ClusterAuthorization authorization() {
    return authorization;
  }

  /** Executes actions on this cluster alone, without a deadline. */
  ActionExecutor actions() {
    return coordination.actions();
  }

  int runningActions() {
    return coordination.dispatcher().runningActions();
  }

  /**
   * Reports this cluster, in the order of {@code /stats}.
   *
   * @param allClusters where a request that is to be explained is searched
   * @param policies the policies that requests are given now
   */
  List<StatsReporter> reporters(
      List<ClusterConnection> allClusters, Supplier<RequestPolicies> policies) {
    List<StatsReporter> reporters = new ArrayList<>();
    reporters.add(new ClusterStatsReporter(connection));
    reporters.add(new AuthorizationStatsReporter(authorization, detector));
    reporters.add(new ProxyStatsReporter(proxy));
    reporters.add(
        new QueueStatsReporter(
            connection.admission().gate().queues(),
            () -> connection.nodes().follower().current().nodes(),
            connection.selection().loadTracker()::snapshots));
    reporters.addAll(features.reporters());
    reporters.add(
        new BulkStatsReporter(
            connection.selection().bulkShards(),
            connection.admission().writeFlow(),
            connection.admission().gate().lanes()::allWriteBytesLimiters,
            coordination.dispatcher().streamingBulkCounts(),
            connection.admission().writeTransforms()));
    reporters.add(new RoutingStatsReporter(connection, allClusters, policies));
    reporters.add(new NodeLoadStatsReporter(connection));
    return reporters;
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
    String unreachable = connection.nodes().unavailableReason();
    if (unreachable != null) {
      return unreachable;
    }
    if (connection.nodes().restAddresses().isEmpty()) {
      return "no node's REST address is known yet: nothing could pass through";
    }
    return detector.isSettling()
        ? "the gateway is finding out whether the nodes of cluster " + name + " ask for credentials"
        : null;
  }

  @Override
  public Supplier<String> serverVersion() {
    return connection.nodes().serverVersion();
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
  public @Nullable ReleasableRequests releasableRequests() {
    return hasOtherClusters ? requests : null;
  }

  @Override
  public String rewritePreference(String uri) {
    return ExplainPreference.rewrite(connection.nodes().follower()::current, uri);
  }

  @Override
  public void ping(Duration timeout, Consumer<Boolean> onOutcome) {
    NodesPing.send(connection.nodes().transportClients(), timeout, onOutcome);
  }

  @Override
  public boolean hasNode(String nodeId) {
    return knownNodeIds.contains(nodeId);
  }

  /** The parts of this cluster that follow a changed configuration. */
  List<ReloadablePart> reloadableParts() {
    List<ReloadablePart> parts =
        new ArrayList<>(
            List.of(
                ReloadablePart.ofSection(
                    next -> next.routing().gatewayAttributes(),
                    connection.nodes()::setGatewayAttributes),
                ReloadablePart.ofSection(
                    next -> next.routing().explain(), connection.selection()::updateExplain),
                ReloadablePart.ofSection(GatewayPolicy::bulk, connection.admission()::updateBulk),
                ReloadablePart.ofSection(
                    GatewayPolicy::admission, connection.admission()::updateAdmission)));
    parts.addAll(features.reloadableParts());
    return parts;
  }

  /** Sets the policy of work that belongs to no single request. */
  void setDefaultPolicy(RequestPolicy compiled) {
    connection.selection().selector().setDefaultPolicy(compiled);
  }

  @Override
  public void close() {
    closers.close();
  }
}
