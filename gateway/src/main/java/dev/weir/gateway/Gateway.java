package dev.weir.gateway;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.bluegreen.shadow.ShadowService;
import dev.weir.bluegreen.traffic.ClusterRouter;
import dev.weir.cluster.ClusterStatus;
import dev.weir.config.load.FileReferences;
import dev.weir.config.load.LoadResult;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.ObservabilityPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.gateway.admin.AdminServer;
import dev.weir.gateway.rehearsal.Rehearsal;
import dev.weir.http.HttpServer;
import dev.weir.http.ServerEventLoops;
import dev.weir.http.intake.RequestEnvironment;
import dev.weir.model.CompletedRequest;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicies;
import dev.weir.observe.AccessLogWriter;
import dev.weir.observe.PrometheusMetrics;
import dev.weir.observe.trace.OpenTelemetryTraces;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running gateway. {@link #start} wires the rooms together, {@link #close} takes them down in
 * reverse. Safe on any thread.
 */
public final class Gateway implements Rehearsal.RunningGateway {
  private static final Logger LOGGER = LoggerFactory.getLogger(Gateway.class);
  private static final Duration READY_POLL_INTERVAL = Duration.ofMillis(10);
  private static final Duration FORCED_CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final CloseableStack closers = new CloseableStack();
  private final AtomicBoolean isDraining = new AtomicBoolean();
  private final GatewayPolicy policy;
  private final PolicyCompiler<PolicySettings> policies;
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
  private final HttpServer server;
  private final ClientListener listener;
  private final AdminServer admin;

  /**
   * What is under way; all zero at rest.
   *
   * @param queuedRequests requests that wait for nodes, and what these have or keep room for
   * @param writeBytes bytes of writes that nodes have
   * @param shadowReads reads that are repeated elsewhere, and answers that are compared
   * @param shadowBytes copies that are held for that
   */
  public record InFlightWork(
      int requests,
      int actions,
      int outstandingNodeCalls,
      int queuedRequests,
      long writeBytes,
      long requestBodyBytes,
      long heldFrames,
      long requestMemoryBytes,
      int shadowReads,
      long shadowBytes) {
    /** Whether nothing is. */
    public boolean isIdle() {
      return requests == 0
          && actions == 0
          && outstandingNodeCalls == 0
          && queuedRequests == 0
          && writeBytes == 0
          && requestBodyBytes == 0
          && heldFrames == 0
          && requestMemoryBytes == 0
          && shadowReads == 0
          && shadowBytes == 0;
    }
  }

  private Gateway(LoadResult.Loaded loaded, OpenSearchRegistries registries) throws IOException {
    this.policy = loaded.policy();
    this.policies = new PolicyCompiler<>(policy.defaultPolicySettings());
    this.metrics = closers.add(new PrometheusMetrics());
    this.tracing =
        closers.add(
            OpenTelemetryTraces.create(
                policy.observability().traces(), policy.http().tls().enabled(), metrics));
    AdmissionPolicy admission = policy.admission();
    this.bodyMemory = new MemoryPool(admission.maxTotalBodyBytes().bytes());
    this.activePolicy = closers.add(new ActivePolicy(loaded, reloadableParts(), Gateway::runLater));
    try {
      int workers = policy.http().eventLoops();
      EventLoops loops =
          closers.add(
              EventLoops.start(workers > 0 ? workers : Runtime.getRuntime().availableProcessors()));
      this.sharedServices =
          new SharedServicesFactory(policy, policies, loops, closers)
              .create(metrics.searches(), new GatewayShadowHost());
      RequestMemoryPolicy memory = admission.requestMemory();
      this.requestMemory =
          new GatewayMemory(
              memory,
              GatewayMemory.Pools.of(memory, bodyMemory, sharedServices.memory().responses()),
              System::currentTimeMillis);
      requestMemory.setRejectionListener(sharedServices.limits().rejections()::recordMemory);
      this.headerAdmission = RequestPipeline.headerFilter(admission, sharedServices);
      this.bodyBudget =
          LedgerBodyBudget.create(
              bodyMemory, requestMemory, policies.narrow(PolicySettings::requestMemory));
      this.clusters = closers.add(ClusterRuntimes.create(policy, sharedServices, registries));
      this.clusterRouter =
          new ClusterRouter(
              policy,
              policies.compile(policy.defaultPolicySettings(), policy.namedPolicySettings(), null),
              clusters.all(),
              System::currentTimeMillis,
              System::nanoTime);
      sharedServices.features().trimming().profileCounts(clusterRouter.requestPolicies());
      this.server = closers.add(server(loops));
      this.admin = closers.add(startAdminServer());
      this.listener =
          closers.add(
              ClientListener.start(
                  policy.http(), server, () -> clusters.unavailableReason() == null));
      GatewayMetricsBinder.bind(this, metrics, loops);
      clusters.start();
    } catch (IOException | RuntimeException e) {
      closers.close();
      throw e;
    }
  }

  /** What shadow reads need; called while requests are served, never during construction. */
  private final class GatewayShadowHost implements SharedServicesFactory.ShadowHost {
    @Override
    public boolean isBusy() {
      return sharedServices.limits().isBusy()
          || sharedServices.memory().isBusy()
          || clusters.isProxyBusy(sharedServices.limits().concurrency().maxInFlight() / 2);
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
   * Starts a gateway and returns as soon as it listens; it becomes ready once it has heard from the
   * cluster.
   *
   * @throws IOException when an address can't be bound
   */
  public static Gateway start(GatewayPolicy policy) throws IOException {
    return start(policy, OpenSearchRegistries.create());
  }

  /** Starts a gateway with registries that exist already. */
  public static Gateway start(GatewayPolicy policy, OpenSearchRegistries registries)
      throws IOException {
    return start(new LoadResult.Loaded(policy, FileReferences.NONE), registries);
  }

  /** Starts a gateway with what was loaded. */
  static Gateway start(LoadResult.Loaded loaded, OpenSearchRegistries registries)
      throws IOException {
    Gateway gateway = new Gateway(loaded, registries);
    GatewayPolicy policy = loaded.policy();
    LOGGER.info(
        "listening: REST {}://{}, admin http://{}",
        policy.http().tls().enabled() ? "https" : "http",
        formatAddress(gateway.restAddress()),
        formatAddress(gateway.adminAddress()));
    gateway.clusters.all().forEach(gateway::logListening);
    return gateway;
  }

  private void logListening(ClusterRuntime side) {
    side.connection()
        .follower()
        .firstView()
        .thenRun(() -> {
          ClusterStatus status = side.connection().follower().status();
          ClusterStatus.Identity cluster = status.cluster();
          LOGGER.info(
              "ready: cluster {} with {} nodes",
              cluster == null ? side.name() : cluster.name(),
              status.nodes().known());
        });
  }

  private HttpServer server(EventLoops loops) throws IOException {
    RequestEnvironment desk =
        new RequestEnvironment(
            clusterRouter,
            headerAdmission,
            bodyBudget,
            requestLog(policy.observability()),
            sharedServices.limits().rejections().recentRefusals()::contains,
            System::nanoTime);
    return new HttpServer(
        HttpOptionsFactory.serverOptions(
            policy.http(), clusters.defaultCluster().connection().serverVersion(), tracing),
        new ServerEventLoops(
            loops.group(), loops.group(), loops.serverSocketChannel(), loops.allocator()),
        desk);
  }

  private Consumer<CompletedRequest> requestLog(ObservabilityPolicy observability) {
    if (!observability.accessLogEnabled()) {
      return metrics.requests();
    }
    boolean json = observability.logFormat() == ObservabilityPolicy.LogFormat.JSON;
    return metrics.requests().andThen(new AccessLogWriter(json));
  }

  private AdminServer startAdminServer() throws IOException {
    HostPort listen = policy.admin().listen();
    try {
      return AdminServer.start(ClientListener.socketAddress(listen), AdminPages.forCluster(this));
    } catch (IOException e) {
      throw ClientListener.listenFailure("admin.listen", listen, e);
    }
  }

  static String formatAddress(InetSocketAddress address) {
    return new HostPort(address.getAddress().getHostAddress(), address.getPort()).toString();
  }

  /** Where clients are listened for. */
  @Override
  public InetSocketAddress restAddress() {
    return listener.address();
  }

  /** Where operators are listened for. */
  @Override
  public InetSocketAddress adminAddress() {
    return admin.address();
  }

  /** Waits until the gateway has heard from the cluster and knows the way through; says whether. */
  @Override
  public boolean awaitReady(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (clusters.unavailableReason() != null && System.nanoTime() < deadline) {
      Thread.sleep(READY_POLL_INTERVAL);
    }
    return clusters.unavailableReason() == null;
  }

  /** What is under way now. */
  public InFlightWork inFlightWork() {
    int actions = 0;
    int calls = 0;
    int queued = 0;
    long writeBytes = 0;
    long frames = 0;
    for (ClusterRuntime side : clusters.all()) {
      ClusterConnection backend = side.connection();
      actions += side.runningActions();
      calls += backend.loadTracker().outstanding();
      queued +=
          backend.admissionQueues().queues().waiting()
              + backend.admissionQueues().queues().occupiedSlots();
      writeBytes += backend.admissionQueues().queues().pendingWriteBytes();
      frames += backend.transportClients().stats().heldFrames();
    }
    ShadowService shadow = sharedServices.features().shadowReads().service();
    return new InFlightWork(
        sharedServices.limits().concurrency().inFlight(),
        actions,
        calls,
        queued,
        writeBytes,
        bodyMemory.usedBytes(),
        frames,
        requestMemory.usedBytes(),
        shadow.inFlight() + shadow.pendingComparisons(),
        shadow.heldBytes());
  }

  /** Client connections that are open now; admin ones are not counted. */
  public int clientConnections() {
    return server.openConnections();
  }

  /**
   * Says no more that it is ready; after the policy's delay takes no new connections, lets requests
   * under way finish, waits for that.
   */
  public void drain(Duration deadline) {
    if (isDraining.compareAndSet(false, true)) {
      awaitShutdownDelay();
    }
    server.drain(deadline).toCompletableFuture().join();
  }

  /** Says no more that it is ready, and lets connections end; goes on serving those that stay. */
  void startDraining() {
    if (isDraining.compareAndSet(false, true)) {
      LOGGER.info("draining: asked to");
      Thread.ofVirtual()
          .name("weir-drain")
          .start(() -> {
            awaitShutdownDelay();
            server.drain(activePolicy.state().policy().admin().drainTimeout());
          });
    }
  }

  private void awaitShutdownDelay() {
    listener.stopAccepting();
    try {
      Thread.sleep(activePolicy.state().policy().admin().drainDelay());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  boolean isDraining() {
    return isDraining.get();
  }

  /** Takes what came of reading a changed configuration; what of it can take effect now, does. */
  public void reload(LoadResult result) {
    activePolicy.reload(result);
  }

  /** All that follows a changed configuration. Requests see their own policies last, at once. */
  private List<ReloadablePart> reloadableParts() {
    return List.of(
        ReloadablePart.ofSection(GatewayPolicy::observability, this::updateObservability),
        ReloadablePart.ofSection(GatewayPolicy::admission, this::updateAdmission),
        (running, next) -> clusters.prepare(running, next),
        this::prepareRequestPolicies);
  }

  private void updateObservability(ObservabilityPolicy changed) {
    LoggingConfigurator.setLevel(changed);
    tracing.updatePolicy(changed.traces());
  }

  private void updateAdmission(AdmissionPolicy changed) {
    sharedServices.limits().concurrency().setLimit(changed.maxInFlight(), changed.retryAfter());
    headerAdmission.updatePolicy(changed);
    requestMemory.updatePolicy(changed.requestMemory());
  }

  /** Compiles the policies of the routes; one write of the cluster router puts them in force. */
  private ReloadablePart.Change prepareRequestPolicies(GatewayPolicy running, GatewayPolicy next) {
    RequestPolicies previous = clusterRouter.requestPolicies();
    RequestPolicies compiled =
        policies.compile(next.defaultPolicySettings(), next.namedPolicySettings(), previous);
    ClusterRouter.PreparedPolicy prepared = clusterRouter.prepare(next, compiled);
    return new ReloadablePart.Change() {
      @Override
      public void commit() {
        putInForce(compiled);
        prepared.commit();
      }

      @Override
      public void revert() {
        prepared.revert();
        putInForce(previous);
      }
    };
  }

  private void putInForce(RequestPolicies requests) {
    sharedServices.features().trimming().profileCounts(requests);
    clusters.all().forEach(cluster -> cluster.setDefaultPolicy(requests.defaultPolicy()));
  }

  private static void runLater(Duration delay, Runnable action) {
    CompletableFuture.delayedExecutor(
            delay.toMillis(), TimeUnit.MILLISECONDS, Thread::startVirtualThread)
        .execute(action);
  }

  ActivePolicy activePolicy() {
    return activePolicy;
  }

  PrometheusMetrics metrics() {
    return metrics;
  }

  HeaderAdmissionFilter headerAdmission() {
    return headerAdmission;
  }

  MemoryPool bodyMemory() {
    return bodyMemory;
  }

  GatewayMemory requestMemory() {
    return requestMemory;
  }

  /** What all clusters have in common. */
  SharedServices sharedServices() {
    return sharedServices;
  }

  /** Chooses clusters. */
  ClusterRouter clusterRouter() {
    return clusterRouter;
  }

  /** The clusters. */
  ClusterRuntimes clusters() {
    return clusters;
  }

  /** Why no client is listened for; null when they are. */
  @Nullable String notListeningReason() {
    return listener.notListeningReason();
  }

  HttpServer server() {
    return server;
  }

  /** Stops at once: closes connections, forgets calls, gives everything back. */
  @Override
  public void close() {
    isDraining.set(true);
    server
        .drain(Duration.ZERO)
        .toCompletableFuture()
        .completeOnTimeout(null, FORCED_CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .join();
    closers.close();
  }
}
