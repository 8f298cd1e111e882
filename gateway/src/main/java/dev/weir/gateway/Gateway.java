package dev.weir.gateway;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.RequestMemoryAccount;
import dev.weir.bluegreen.shadow.ShadowStatsReporter;
import dev.weir.bluegreen.traffic.ClusterRouter;
import dev.weir.bluegreen.traffic.CutoverWatch;
import dev.weir.bluegreen.traffic.TrafficStatsReporter;
import dev.weir.cluster.ClusterFollower;
import dev.weir.cluster.ClusterStatus;
import dev.weir.config.load.FileReferences;
import dev.weir.config.load.LoadResult;
import dev.weir.config.load.SecurityWarnings;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.ObservabilityPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.gateway.admission.HeaderAdmissionFilter;
import dev.weir.gateway.admission.LedgerBodyBudget;
import dev.weir.gateway.admission.PacingStatsReporter;
import dev.weir.gateway.admission.PolicyStatsReporter;
import dev.weir.gateway.admission.RequestLimits;
import dev.weir.gateway.admission.RequestMemoryStatsReporter;
import dev.weir.gateway.cluster.SharedResources;
import dev.weir.gateway.history.GatewayEvents;
import dev.weir.gateway.logging.LogStatsReporter;
import dev.weir.gateway.logging.LoggingConfigurator;
import dev.weir.gateway.network.ClientListener;
import dev.weir.gateway.network.HttpOptionsFactory;
import dev.weir.gateway.operate.OperationPages;
import dev.weir.gateway.readiness.Readiness;
import dev.weir.gateway.rehearsal.Rehearsal;
import dev.weir.gateway.reload.ActivePolicy;
import dev.weir.gateway.reload.ReloadStatsReporter;
import dev.weir.gateway.reload.ReloadablePart;
import dev.weir.gateway.stats.CertificateStatsReporter;
import dev.weir.gateway.stats.ConnectionStatsReporter;
import dev.weir.gateway.stats.GatewayInstance;
import dev.weir.gateway.stats.InFlightStatsReporter;
import dev.weir.gateway.stats.InFlightWork;
import dev.weir.gateway.stats.InstanceStatsReporter;
import dev.weir.gateway.stats.ProcessStatsReporter;
import dev.weir.gateway.stats.RequestStatsReporter;
import dev.weir.gateway.stats.StatsReporters;
import dev.weir.http.HttpServer;
import dev.weir.http.ServerEventLoops;
import dev.weir.http.intake.RequestEnvironment;
import dev.weir.model.MemoryRejection;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestMemory;
import dev.weir.observe.PrometheusMetrics;
import dev.weir.observe.StatsReporter;
import dev.weir.observe.trace.OpenTelemetryTraces;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running gateway. {@link #start} creates its parts and connects them, {@link #close} closes them
 * in the opposite order. Safe on any thread.
 */
public final class Gateway implements Rehearsal.RunningGateway {
  private static final Logger LOGGER = LoggerFactory.getLogger(Gateway.class);
  private static final Duration FORCED_CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final CloseableStack closers = new CloseableStack();
  private final GatewayPolicy policy;
  private final ActivePolicy activePolicy;
  private final PrometheusMetrics metrics;
  private final OpenTelemetryTraces tracing;
  private final HeaderAdmissionFilter headerAdmission;
  private final MemoryPool bodyMemory;
  private final GatewayMemory requestMemory;
  private final LedgerBodyBudget bodyBudget;
  private final SharedServices sharedServices;
  private final ClusterRuntimes clusters;
  private final ClusterRouter clusterRouter;
  private final InFlightWorkReader load;
  private final HttpServer server;
  private final SlowReaderEviction slowReaders;
  private final OperationPages operations;
  private final Readiness readiness;
  private final ClientListener listener;
  private final DrainController drain;
  private final AdminListeners adminPorts;

  private Gateway(LoadResult.Loaded loaded, OpenSearchRegistries registries) throws IOException {
    this.policy = loaded.policy();
    PolicyCompiler<PolicySettings> policies = new PolicyCompiler<>(policy.defaultPolicySettings());
    this.metrics = closers.add(new PrometheusMetrics());
    this.tracing =
        closers.add(
            OpenTelemetryTraces.create(
                policy.observability().traces(), policy.http().tls().enabled(), metrics));
    AdmissionPolicy admission = policy.admission();
    this.bodyMemory = new MemoryPool(admission.maxTotalBodyBytes().bytes());
    try {
      int workers = policy.http().eventLoops();
      EventLoops loops =
          closers.add(
              EventLoops.start(workers > 0 ? workers : Runtime.getRuntime().availableProcessors()));
      this.sharedServices =
          SharedServices.create(
              policy, policies, loops, metrics.searches(), new GatewayShadowHost(), closers);
      RequestMemoryPolicy memory = admission.requestMemory();
      this.requestMemory =
          new GatewayMemory(
              memory,
              GatewayMemory.Pools.of(
                  memory, bodyMemory, sharedServices.resources().memory().responses()),
              System::currentTimeMillis);
      this.headerAdmission = RequestPipeline.headerFilter(admission, sharedServices);
      this.bodyBudget =
          LedgerBodyBudget.create(
              bodyMemory, requestMemory, policies.narrow(PolicySettings::requestMemory));
      this.clusters = closers.add(ClusterRuntimes.create(policy, sharedServices, registries));
      this.load = new InFlightWorkReader(clusters, sharedServices, bodyMemory, requestMemory);
      this.clusterRouter =
          new ClusterRouter(
              policy,
              policies.compile(policy.defaultPolicySettings(), policy.namedPolicySettings(), null),
              clusters.all(),
              System::currentTimeMillis,
              System::nanoTime,
              task -> Thread.ofVirtual().name("weir-rollback").start(task));
      clusterRouter.setCutoverWatch(
          closers.add(
              new CutoverWatch(
                  clusters.all(),
                  sharedServices.resources().scheduler(),
                  task -> Thread.ofVirtual().name("weir-cutover").start(task))));
      GatewayEvents events = sharedServices.features().history().events();
      clusterRouter.setChangeListener(change -> events.add(GatewayEvents.Kind.TRAFFIC, change));
      sharedServices.features().setPolicies(clusterRouter.requestPolicies());
      List<ReloadablePart> reloadableParts = new ArrayList<>();
      reloadableParts.add(
          ReloadablePart.ofSection(GatewayPolicy::observability, this::updateObservability));
      reloadableParts.addAll(
          new GatewayReload(
                  sharedServices, headerAdmission, requestMemory, clusters, clusterRouter, policies)
              .reloadableParts());
      this.activePolicy =
          closers.add(
              new ActivePolicy(
                  loaded,
                  reloadableParts,
                  Gateway::runLater,
                  outcome -> events.add(GatewayEvents.Kind.RELOAD, outcome)));
      this.server = closers.add(server(loops));
      this.slowReaders =
          new SlowReaderEviction(
              server::evictSlowReaders,
              requestMemory::isAwaitingResponseMemory,
              sharedServices.resources().scheduler());
      requestMemory.setRejectionListener(this::onMemoryRejected);
      requestMemory.setResponseWaitListener(slowReaders::onWait);
      this.operations =
          closers.add(
              new OperationPages(
                  () -> activePolicy.state().policy(), this::restAddress, this::adminAddress));
      StatsReporters reporters =
          new StatsReporters(
              gatewayReporters(),
              clusters.reporters(clusterRouter::requestPolicies),
              processReporters());
      reporters.bind(metrics);
      this.readiness =
          new Readiness(
              clusters.all(),
              clusterRouter::shares,
              () -> activePolicy.state().policy().admin().minReachablePercent(),
              System::nanoTime);
      this.listener =
          closers.add(ClientListener.start(policy.http(), server, readiness::canOpenSharedPort));
      this.drain =
          new DrainController(
              server,
              listener,
              () -> activePolicy.state().policy().admin(),
              event -> events.add(GatewayEvents.Kind.DRAIN, event));
      this.adminPorts = closers.add(startAdminPorts(reporters));
      sharedServices
          .features()
          .history()
          .start(
              new GatewayHistoryProbe(
                  clusters, sharedServices.resources(), this::notServingReasons, readiness));
      clusters.start();
    } catch (IOException | RuntimeException e) {
      closers.close();
      throw e;
    }
  }

  /** What shadow reads need; called while requests are served, never during construction. */
  private final class GatewayShadowHost implements GatewayFeatures.ShadowHost {
    @Override
    public boolean isBusy() {
      return sharedServices.resources().limits().isBusy()
          || sharedServices.resources().memory().isBusy()
          || clusters.isProxyBusy(
              sharedServices.resources().limits().concurrency().maxInFlight() / 2);
    }

    @Override
    public RequestMemory openMemory(String method, String uri) {
      return requestMemory.openAccount(method, uri, null);
    }

    @Override
    public void onCompared(String scope, boolean different) {
      clusterRouter.onShadowCompared(scope, different);
    }
  }

  /**
   * Starts a gateway and returns as soon as its ports are open; it becomes ready when it knows the
   * state of a cluster.
   *
   * @throws IOException when an address can't be bound
   */
  public static Gateway start(GatewayPolicy policy) throws IOException {
    return start(policy, OpenSearchRegistries.create());
  }

  /** Starts a gateway with existing registries. */
  public static Gateway start(GatewayPolicy policy, OpenSearchRegistries registries)
      throws IOException {
    return start(new LoadResult.Loaded(policy, FileReferences.NONE), registries);
  }

  /** Starts a gateway with a loaded configuration, and remembers the files that it refers to. */
  static Gateway start(LoadResult.Loaded loaded, OpenSearchRegistries registries)
      throws IOException {
    Gateway gateway = new Gateway(loaded, registries);
    GatewayPolicy policy = loaded.policy();
    InetSocketAddress health = gateway.healthAddress();
    LOGGER.info(
        "listening: REST {}://{}, admin {}://{}{}",
        policy.http().tls().enabled() ? "https" : "http",
        formatAddress(gateway.restAddress()),
        policy.admin().tls().enabled() ? "https" : "http",
        formatAddress(gateway.adminAddress()),
        health == null ? "" : ", health http://" + formatAddress(health));
    SecurityWarnings.of(policy).forEach(LOGGER::warn);
    gateway
        .clusters
        .all()
        .forEach(cluster -> {
          cluster.authorization().log();
          gateway.logWhenReady(cluster);
        });
    return gateway;
  }

  private void logWhenReady(ClusterRuntime cluster) {
    ClusterFollower follower = cluster.connection().nodes().follower();
    follower
        .firstView()
        .thenRun(() -> {
          ClusterStatus status = follower.status();
          ClusterStatus.Identity identity = status.cluster();
          LOGGER.info(
              "ready: cluster {} with {} nodes",
              identity == null ? cluster.name() : identity.name(),
              status.nodes().known());
        });
  }

  /** Records a rejection, and makes room in the memory that slow readers hold. */
  private void onMemoryRejected(RequestMemoryAccount account, MemoryRejection rejection) {
    sharedServices.resources().limits().rejections().recordMemory(account, rejection);
    if (requestMemory.isResponseMemory(rejection.category()) && !rejection.permanent()) {
      slowReaders.onRejection();
    }
  }

  private HttpServer server(EventLoops loops) throws IOException {
    RequestEnvironment environment =
        new RequestEnvironment(
            clusterRouter,
            headerAdmission,
            bodyBudget,
            RequestLog.create(policy.observability(), metrics.requests(), sharedServices),
            sharedServices.resources().limits().rejections().recentRejections()::contains,
            System::nanoTime);
    return new HttpServer(
        HttpOptionsFactory.serverOptions(
            policy,
            clusters.defaultCluster().connection().nodes().serverVersion(),
            tracing,
            sharedServices.resources().tlsContexts()),
        new ServerEventLoops(
            loops.group(),
            loops.group(),
            loops.serverSocketChannel(),
            loops.allocator(),
            loops::tryMoveAway),
        environment);
  }

  /** The reporters of the whole gateway, in the order of {@code /stats}. */
  private List<StatsReporter> gatewayReporters() {
    RequestLimits limits = sharedServices.resources().limits();
    GatewayFeatures features = sharedServices.features();
    List<StatsReporter> reporters = new ArrayList<>();
    reporters.add(
        new InstanceStatsReporter(
            GatewayInstance.start(System::currentTimeMillis, System::nanoTime), this::isDraining));
    reporters.add(new InFlightStatsReporter(this::inFlightWork, this::clientConnections));
    reporters.add(new ConnectionStatsReporter(server.counts()));
    reporters.add(
        new RequestStatsReporter(
            metrics.requests(),
            limits.concurrency(),
            new PolicyStatsReporter(clusterRouter::requestPolicies, limits.bulkheads()),
            bodyMemory,
            sharedServices.resources().memory().responses()));
    reporters.add(new PacingStatsReporter(headerAdmission.pacer()));
    reporters.addAll(features.reporters());
    reporters.add(
        new TrafficStatsReporter(
            clusterRouter,
            Map.of("shadow", new ShadowStatsReporter(features.shadowReads().service())::toMap)));
    reporters.add(new ReloadStatsReporter(activePolicy));
    reporters.add(operations);
    return reporters;
  }

  /** The reporters of the process, in the order of {@code /stats}. */
  private List<StatsReporter> processReporters() {
    SharedResources resources = sharedServices.resources();
    return List.of(
        new LogStatsReporter(),
        new CertificateStatsReporter(resources.tlsContexts().watcher()),
        new ProcessStatsReporter(resources.memory(), resources.eventLoops()),
        sharedServices.reductions()::bind,
        sharedServices.longRequests()::bind,
        new RequestMemoryStatsReporter(
            requestMemory,
            bodyMemory,
            resources.memory().responses(),
            resources.memory().estimator()));
  }

  private AdminListeners startAdminPorts(StatsReporters reporters) throws IOException {
    AdminPages pages =
        new AdminPages(
            metrics,
            drain,
            operations::isRunning,
            this::notServingReasons,
            readiness,
            this::rejectedConfiguration,
            clusters::authorizations,
            clusters.advicePage(policy, reporters, this::restAddress));
    return AdminListeners.start(
        policy,
        () -> activePolicy.state().policy().admin(),
        pages,
        reporters,
        sharedServices.resources().tlsContexts());
  }

  /** What is wrong with changed files that are not in use; empty for nothing. */
  private List<String> rejectedConfiguration() {
    List<String> problems = new ArrayList<>(activePolicy.state().problems());
    problems.addAll(sharedServices.resources().tlsContexts().watcher().problems());
    return problems;
  }

  static String formatAddress(InetSocketAddress address) {
    return new HostPort(address.getAddress().getHostAddress(), address.getPort()).toString();
  }

  /** The address of the REST port. */
  @Override
  public InetSocketAddress restAddress() {
    return listener.address();
  }

  /** The address of the admin port. */
  @Override
  public InetSocketAddress adminAddress() {
    return adminPorts.admin().address();
  }

  /** The address of the health checks; null without a port of their own. */
  @Nullable InetSocketAddress healthAddress() {
    return adminPorts.health() == null ? null : adminPorts.health().address();
  }

  /** Waits until the gateway can serve requests. Returns false when the time is up before. */
  @Override
  public boolean awaitReady(Duration atMost) throws InterruptedException {
    return readiness.await(atMost);
  }

  /** The work in flight now. */
  public InFlightWork inFlightWork() {
    return load.read();
  }

  /** The number of open client connections, without those of the admin port. */
  public int clientConnections() {
    return server.openConnections();
  }

  /**
   * Reports that the gateway is not ready; after the policy's delay, accepts no more connections
   * and waits until the requests in flight have ended. Closes the remaining connections at the
   * deadline; if the gateway drains already, at the deadline of that drain.
   */
  public void drain(Duration deadline) {
    drain.stop(deadline);
  }

  boolean isDraining() {
    return drain.isDraining();
  }

  /** Applies a changed configuration, as far as its keys can take effect at once. */
  public void reload(LoadResult result) {
    activePolicy.reload(result);
  }

  private void updateObservability(ObservabilityPolicy changed) {
    LoggingConfigurator.setLevel(changed);
    tracing.updatePolicy(changed.traces());
  }

  private static void runLater(Duration delay, Runnable action) {
    CompletableFuture.delayedExecutor(
            delay.toMillis(), TimeUnit.MILLISECONDS, Thread::startVirtualThread)
        .execute(action);
  }

  ActivePolicy activePolicy() {
    return activePolicy;
  }

  /** What all clusters share. */
  SharedServices sharedServices() {
    return sharedServices;
  }

  /** The clusters. */
  ClusterRuntimes clusters() {
    return clusters;
  }

  /** Why this process takes no requests, whatever clusters it reaches; empty while it does. */
  private List<String> notServingReasons() {
    List<String> reasons = new ArrayList<>();
    if (drain.isDraining()) {
      reasons.add("draining");
    }
    String notListening = notListeningReason();
    if (notListening != null) {
      reasons.add(notListening);
    }
    return reasons;
  }

  /** Why the REST port is not open; null while it is. */
  @Nullable String notListeningReason() {
    return listener.notListeningReason();
  }

  /** Stops at once: closes connections, gives up the requests in flight, releases all memory. */
  @Override
  public void close() {
    drain.close();
    server
        .drain(Duration.ZERO)
        .toCompletableFuture()
        .completeOnTimeout(null, FORCED_CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .join();
    closers.close();
  }
}
