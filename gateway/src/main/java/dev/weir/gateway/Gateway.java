package dev.weir.gateway;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.MemoryPool;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.HeapBytesEstimator;
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
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.gateway.admin.AdminServer;
import dev.weir.gateway.rehearsal.Rehearsal;
import dev.weir.http.HttpServer;
import dev.weir.http.intake.RequestEnvironment;
import dev.weir.http.ServerEventLoops;
import dev.weir.model.CompletedRequest;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestPolicies;
import dev.weir.observe.AccessLogWriter;
import dev.weir.observe.PrometheusMetrics;
import dev.weir.observe.trace.OpenTelemetryTraces;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportMemory;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.responses.export.ExportCounts;
import dev.weir.responses.sampling.SearchSampler;
import dev.weir.responses.trim.ResponseTrimmer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
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
  private final ConcurrencyLimiter admission;
  private final PolicyBulkheads bulkheads;
  private final HeaderAdmissionFilter headerAdmission;
  private final MemoryPool bodyMemory;
  private final GatewayMemory requestMemory;
  private final LedgerBodyBudget bodyBudget;
  private final SharedServices sharedServices;
  private final ClusterRuntimes clusters;
  private final ShadowReadDispatcher shadowReads;
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
    AdmissionPolicy admitting = policy.admission();
    this.admission = new ConcurrencyLimiter(admitting.maxInFlight(), admitting.retryAfter());
    this.bulkheads =
        new PolicyBulkheads(
            policies.narrow(
                says -> new PolicyBulkheads.Limits(says.maxInFlight(), says.retryAfter())));
    this.bodyMemory = new MemoryPool(admitting.maxTotalBodyBytes().bytes());
    this.activePolicy = new ActivePolicy(loaded, this::updatePolicy, this::updatePolicy);
    try {
      int workers = policy.http().eventLoops();
      EventLoops loops =
          closers.add(
              EventLoops.start(workers > 0 ? workers : Runtime.getRuntime().availableProcessors()));
      ThreadPoolExecutor reductions = ReductionThreadPool.create();
      closers.add(reductions::shutdownNow);
      this.sharedServices = sharedServices(loops, reductions);
      RequestMemoryPolicy request = admitting.requestMemory();
      this.requestMemory =
          new GatewayMemory(
              request,
              GatewayMemory.Pools.of(request, bodyMemory, sharedServices.responseMemory()),
              System::currentTimeMillis);
      RejectionRecorder refusals = new RejectionRecorder(sharedServices.recentRefusals());
      requestMemory.setRejectionListener(refusals::recordMemory);
      this.headerAdmission =
          new HeaderAdmissionFilter(
              admitting,
              admission,
              bulkheads,
              sharedServices.deadlines().policies(),
              refusals,
              System::nanoTime);
      this.bodyBudget =
          LedgerBodyBudget.create(
              bodyMemory, requestMemory, policies.narrow(PolicySettings::requestMemory));
      this.clusters = closers.add(ClusterRuntimes.create(this::policy, sharedServices, registries));
      this.shadowReads =
          closers.add(
              new ShadowReadDispatcher(
                  sharedServices, clusters, requestMemory, this::onComparison));
      this.clusterRouter =
          new ClusterRouter(
              policy,
              policies.compile(policy.defaultPolicySettings(), policy.namedPolicySettings(), null),
              clusters.all(),
              shadowReads,
              System::currentTimeMillis,
              System::nanoTime);
      sharedServices.trimming().profileCounts(clusterRouter.requestPolicies());
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

  private SharedServices sharedServices(EventLoops loops, ThreadPoolExecutor reductions) {
    return new SharedServices(
        policies,
        loops,
        admission,
        bulkheads,
        new MemoryPool(policy.admission().maxTotalResponseBytes().bytes()),
        TransportMemory.forThisJvm(policy.clusters().size()),
        RecentRoutingDecisions.rejections(
            policy.routing().explain().maxRequests(), System::currentTimeMillis),
        DeadlineService.create(
            policies.narrow(PolicySettings::deadline), new EventLoopScheduler(loops.group())),
        new HeapBytesEstimator(),
        new ResponseTrimmer(policies.narrow(PolicySettings::trimming)),
        new SearchSampler(
            policies.narrow(PolicySettings::sampling),
            () -> ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE)),
        new ExportCounts(),
        metrics.searches(),
        reductions,
        closers.add(
            new DualWriteService(
                policy.clusters().keySet(),
                policies.narrow(PolicySettings::traffic),
                new EventLoopScheduler(loops.group()))),
        policy.clusters().size() > 1);
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
            sharedServices.recentRefusals()::contains,
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
      actions += side.pipeline().dispatcher().runningActions();
      calls += backend.loadTracker().outstanding();
      queued +=
          backend.admissionQueues().queues().waiting()
              + backend.admissionQueues().queues().occupiedSlots();
      writeBytes += backend.admissionQueues().queues().pendingWriteBytes();
      frames += backend.transportClients().stats().heldFrames();
    }
    return new InFlightWork(
        admission.inFlight(),
        actions,
        calls,
        queued,
        writeBytes,
        bodyMemory.usedBytes(),
        frames,
        requestMemory.usedBytes(),
        shadowReads.service().inFlight() + shadowReads.service().pendingComparisons(),
        shadowReads.service().heldBytes());
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

  private GatewayPolicy policy() {
    return activePolicy.state().policy();
  }

  /**
   * Goes by another policy from now on. What is otherwise for the requests of other routes is made
   * ready first, and takes effect at once, for requests that come after that.
   */
  private void updatePolicy(GatewayPolicy changed) {
    RequestPolicies requests =
        policies.compile(
            changed.defaultPolicySettings(),
            changed.namedPolicySettings(),
            clusterRouter.requestPolicies());
    sharedServices.trimming().profileCounts(requests);
    clusters.all().forEach(side -> side.updatePolicy(changed, requests));
    clusterRouter.apply(changed, requests);
    LoggingConfigurator.setLevel(changed.observability());
    tracing.updatePolicy(changed.observability().traces());
  }

  /** Lets requests in by another policy from now on. */
  private void updatePolicy(AdmissionPolicy changed) {
    admission.setLimit(changed.maxInFlight(), changed.retryAfter());
    headerAdmission.updatePolicy(changed);
    requestMemory.updatePolicy(changed.requestMemory());
    clusters.all().forEach(side -> side.updatePolicy(changed));
  }

  ActivePolicy activePolicy() {
    return activePolicy;
  }

  PrometheusMetrics metrics() {
    return metrics;
  }

  ConcurrencyLimiter admission() {
    return admission;
  }

  PolicyBulkheads bulkheads() {
    return bulkheads;
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

  private void onComparison(String scope, boolean different) {
    clusterRouter.onShadowCompared(scope, different);
  }

  /** Repeats reads elsewhere. */
  ShadowReadDispatcher shadowReads() {
    return shadowReads;
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
