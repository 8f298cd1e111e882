package dev.weir.gateway;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.Bulkheads;
import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.CostEstimator;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.config.load.FileValues;
import dev.weir.config.load.LoadResult;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.ObservabilityPolicy;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.config.policy.Treatment;
import dev.weir.core.actions.explain.RecentChoices;
import dev.weir.core.actions.sample.Sampling;
import dev.weir.core.actions.trim.Trimming;
import dev.weir.gateway.admin.AdminServer;
import dev.weir.gateway.rehearsal.Rehearsal;
import dev.weir.bluegreen.traffic.TrafficDesk;
import dev.weir.cluster.ClusterStatus;
import dev.weir.responses.export.ExportCounts;
import dev.weir.http.FrontDesk;
import dev.weir.http.HttpServer;
import dev.weir.http.Sockets;
import dev.weir.observe.AccessLog;
import dev.weir.observe.Metrics;
import dev.weir.observe.trace.Tracing;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestLog;
import dev.weir.model.RequestPolicies;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportMemory;
import dev.weir.protocol.registry.OpenSearchRegistries;
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
public final class Gateway implements Rehearsal.Stage {
  private static final Logger LOGGER = LoggerFactory.getLogger(Gateway.class);
  private static final Duration READY_PAUSE = Duration.ofMillis(10);
  private static final Duration FORCED_CLOSE = Duration.ofSeconds(5);

  private final Closers closers = new Closers();
  private final AtomicBoolean draining = new AtomicBoolean();
  private final GatewayPolicy policy;
  private final PolicyCompiler<Treatment> policies;
  private final PolicyInForce inForce;
  private final Metrics metrics;
  private final Tracing tracing;
  private final AdmissionController admission;
  private final Bulkheads bulkheads;
  private final Gatekeeper gate;
  private final MemoryLedger bodies;
  private final GatewayMemory memory;
  private final LedgerBudget budget;
  private final Commons commons;
  private final Sides sides;
  private final ShadowReads shadows;
  private final TrafficDesk traffic;
  private final HttpServer server;
  private final ClientPort port;
  private final AdminServer admin;

  /**
   * What is under way; all zero at rest.
   *
   * @param queued requests that wait for nodes, and what these have or keep room for
   * @param writeBytes bytes of writes that nodes have
   * @param shadowReads reads that are repeated elsewhere, and answers that are compared
   * @param shadowBytes copies that are held for that
   */
  public record Load(
      int requests,
      int actions,
      int outstandingCalls,
      int queued,
      long writeBytes,
      long bodyBytes,
      long heldFrames,
      long requestBytes,
      int shadowReads,
      long shadowBytes) {
    /** Whether nothing is. */
    public boolean none() {
      return requests == 0
          && actions == 0
          && outstandingCalls == 0
          && queued == 0
          && writeBytes == 0
          && bodyBytes == 0
          && heldFrames == 0
          && requestBytes == 0
          && shadowReads == 0
          && shadowBytes == 0;
    }
  }

  private Gateway(LoadResult.Loaded loaded, OpenSearchRegistries registries) throws IOException {
    this.policy = loaded.policy();
    this.policies = new PolicyCompiler<>(policy.treatment());
    this.metrics = closers.add(new Metrics());
    this.tracing =
        closers.add(
            Tracing.of(policy.observability().traces(), policy.http().tls().enabled(), metrics));
    AdmissionPolicy admitting = policy.admission();
    this.admission = new AdmissionController(admitting.maxInFlight(), admitting.retryAfter());
    this.bulkheads =
        new Bulkheads(
            policies.of(says -> new Bulkheads.Terms(says.maxInFlight(), says.retryAfter())));
    this.bodies = new MemoryLedger(admitting.maxBodyBytes().bytes());
    this.inForce = new PolicyInForce(loaded, this::use, this::use);
    try {
      int workers = policy.http().workers();
      EventLoops loops =
          closers.add(
              EventLoops.start(workers > 0 ? workers : Runtime.getRuntime().availableProcessors()));
      ThreadPoolExecutor reductions = Reductions.pool();
      closers.add(reductions::shutdownNow);
      this.commons = commons(loops, reductions);
      RequestMemoryPolicy request = admitting.requestMemory();
      this.memory =
          new GatewayMemory(
              request,
              GatewayMemory.Pools.of(request, bodies, commons.replies()),
              System::currentTimeMillis);
      KeptRefusals refusals = new KeptRefusals(commons.refusals());
      memory.tellRefusals(refusals::memory);
      this.gate =
          new Gatekeeper(
              admitting,
              admission,
              bulkheads,
              commons.deadlines().rules(),
              refusals,
              System::nanoTime);
      this.budget = LedgerBudget.of(bodies, memory, policies.of(Treatment::requestMemory));
      this.sides = closers.add(Sides.of(this::policy, commons, registries));
      this.shadows = closers.add(new ShadowReads(commons, sides, memory, this::compared));
      this.traffic =
          new TrafficDesk(
              policy,
              policies.compile(policy.treatment(), policy.treatments(), null),
              sides.all(),
              shadows,
              System::currentTimeMillis,
              System::nanoTime);
      commons.trimming().counts(traffic.requests());
      this.server = closers.add(server(loops));
      this.admin = closers.add(listenForAdmin());
      this.port =
          closers.add(ClientPort.open(policy.http(), server, () -> sides.missing() == null));
      GatewayMetrics.bind(this, metrics, loops);
      sides.start();
    } catch (IOException | RuntimeException e) {
      closers.close();
      throw e;
    }
  }

  private Commons commons(EventLoops loops, ThreadPoolExecutor reductions) {
    return new Commons(
        policies,
        loops,
        admission,
        bulkheads,
        new MemoryLedger(policy.admission().maxReplyBytes().bytes()),
        TransportMemory.standard(policy.clusters().size()),
        RecentChoices.refusals(policy.routing().explain().requests(), System::currentTimeMillis),
        DeadlineDesk.of(policies.of(Treatment::deadline), new LoopDelays(loops.group())),
        new CostEstimator(),
        new Trimming(policies.of(Treatment::trimming)),
        new Sampling(
            policies.of(Treatment::sampling),
            () -> ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE)),
        new ExportCounts(),
        metrics.searches(),
        reductions,
        closers.add(
            new DualDesk(
                policy.clusters().keySet(),
                policies.of(Treatment::traffic),
                new LoopDelays(loops.group()))),
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
    return start(new LoadResult.Loaded(policy, FileValues.NONE), registries);
  }

  /** Starts a gateway with what was loaded. */
  static Gateway start(LoadResult.Loaded loaded, OpenSearchRegistries registries)
      throws IOException {
    Gateway gateway = new Gateway(loaded, registries);
    GatewayPolicy policy = loaded.policy();
    LOGGER.info(
        "listening: REST {}://{}, admin http://{}",
        policy.http().tls().enabled() ? "https" : "http",
        text(gateway.restAddress()),
        text(gateway.adminAddress()));
    gateway.sides.all().forEach(gateway::announce);
    return gateway;
  }

  private void announce(Side side) {
    side.backend()
        .follower()
        .first()
        .thenRun(() -> {
          ClusterStatus status = side.backend().follower().status();
          ClusterStatus.Identity cluster = status.cluster();
          LOGGER.info(
              "ready: cluster {} with {} nodes",
              cluster == null ? side.name() : cluster.name(),
              status.nodes().known());
        });
  }

  private HttpServer server(EventLoops loops) throws IOException {
    FrontDesk desk =
        new FrontDesk(
            traffic,
            gate,
            budget,
            requestLog(policy.observability()),
            commons.refusals()::keeps,
            System::nanoTime);
    return new HttpServer(
        HttpSettings.server(policy.http(), sides.first().backend().version(), tracing),
        new Sockets(loops.group(), loops.group(), loops.serverSocketChannel(), loops.allocator()),
        desk);
  }

  private Consumer<RequestLog> requestLog(ObservabilityPolicy observability) {
    if (!observability.accessLog()) {
      return metrics.requests();
    }
    boolean json = observability.logFormat() == ObservabilityPolicy.LogFormat.JSON;
    return metrics.requests().andThen(new AccessLog(json));
  }

  private AdminServer listenForAdmin() throws IOException {
    HostPort listen = policy.admin().listen();
    try {
      return AdminServer.start(ClientPort.socketAddress(listen), AdminPages.of(this));
    } catch (IOException e) {
      throw ClientPort.cannotListen("admin.listen", listen, e);
    }
  }

  static String text(InetSocketAddress address) {
    return new HostPort(address.getAddress().getHostAddress(), address.getPort()).toString();
  }

  /** Where clients are listened for. */
  @Override
  public InetSocketAddress restAddress() {
    return port.address();
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
    while (sides.missing() != null && System.nanoTime() < deadline) {
      Thread.sleep(READY_PAUSE);
    }
    return sides.missing() == null;
  }

  /** What is under way now. */
  public Load load() {
    int actions = 0;
    int calls = 0;
    int queued = 0;
    long writeBytes = 0;
    long frames = 0;
    for (Side side : sides.all()) {
      Backend backend = side.backend();
      actions += side.walk().door().actionsUnderWay();
      calls += backend.loads().outstanding();
      queued += backend.queues().queues().waiting() + backend.queues().queues().occupied();
      writeBytes += backend.queues().queues().writeBytes();
      frames += backend.clients().stats().heldFrames();
    }
    return new Load(
        admission.inFlight(),
        actions,
        calls,
        queued,
        writeBytes,
        bodies.held(),
        frames,
        memory.held(),
        shadows.desk().underWay() + shadows.desk().comparing(),
        shadows.desk().held());
  }

  /** Client connections that are open now; admin ones are not counted. */
  public int clientConnections() {
    return server.connections();
  }

  /**
   * Says no more that it is ready; after the policy's delay takes no new connections, lets requests
   * under way finish, waits for that.
   */
  public void drain(Duration deadline) {
    if (draining.compareAndSet(false, true)) {
      letBalancersNotice();
    }
    server.drain(deadline).toCompletableFuture().join();
  }

  /** Says no more that it is ready, and lets connections end; goes on serving those that stay. */
  void startDraining() {
    if (draining.compareAndSet(false, true)) {
      LOGGER.info("draining: asked to");
      Thread.ofVirtual()
          .name("weir-drain")
          .start(() -> {
            letBalancersNotice();
            server.drain(inForce.state().policy().admin().drainTimeout());
          });
    }
  }

  private void letBalancersNotice() {
    port.stepAside();
    try {
      Thread.sleep(inForce.state().policy().admin().drainDelay());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  boolean draining() {
    return draining.get();
  }

  /** Takes what came of reading a changed configuration; what of it can take effect now, does. */
  public void reload(LoadResult result) {
    inForce.reload(result);
  }

  private GatewayPolicy policy() {
    return inForce.state().policy();
  }

  /**
   * Goes by another policy from now on. What is otherwise for the requests of other routes is made
   * ready first, and takes effect at once, for requests that come after that.
   */
  private void use(GatewayPolicy changed) {
    RequestPolicies requests =
        policies.compile(changed.treatment(), changed.treatments(), traffic.requests());
    commons.trimming().counts(requests);
    sides.all().forEach(side -> side.use(changed, requests));
    traffic.use(changed, requests);
    LogSetup.level(changed.observability());
    tracing.use(changed.observability().traces());
  }

  /** Lets requests in by another policy from now on. */
  private void use(AdmissionPolicy changed) {
    admission.limit(changed.maxInFlight(), changed.retryAfter());
    gate.use(changed);
    memory.use(changed.requestMemory());
    sides.all().forEach(side -> side.use(changed));
  }

  PolicyInForce inForce() {
    return inForce;
  }

  Metrics metrics() {
    return metrics;
  }

  AdmissionController admission() {
    return admission;
  }

  Bulkheads bulkheads() {
    return bulkheads;
  }

  Gatekeeper gate() {
    return gate;
  }

  MemoryLedger bodies() {
    return bodies;
  }

  GatewayMemory memory() {
    return memory;
  }

  /** What all clusters have in common. */
  Commons commons() {
    return commons;
  }

  private void compared(String scope, boolean different) {
    traffic.compared(scope, different);
  }

  /** Repeats reads elsewhere. */
  ShadowReads shadows() {
    return shadows;
  }

  /** Chooses clusters. */
  TrafficDesk traffic() {
    return traffic;
  }

  /** The clusters. */
  Sides sides() {
    return sides;
  }

  /** Why no client is listened for; null when they are. */
  @Nullable String notListening() {
    return port.missing();
  }

  HttpServer server() {
    return server;
  }

  /** Stops at once: closes connections, forgets calls, gives everything back. */
  @Override
  public void close() {
    draining.set(true);
    server
        .drain(Duration.ZERO)
        .toCompletableFuture()
        .completeOnTimeout(null, FORCED_CLOSE.toMillis(), TimeUnit.MILLISECONDS)
        .join();
    closers.close();
  }
}
