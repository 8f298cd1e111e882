package dev.weir.gateway.app;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.CostEstimator;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.config.load.FileValues;
import dev.weir.config.load.LoadResult;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.ObservabilityPolicy;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.config.policy.ResponsesPolicy;
import dev.weir.gateway.actions.sample.Sampling;
import dev.weir.gateway.actions.trim.Trimming;
import dev.weir.gateway.app.admin.AdminServer;
import dev.weir.gateway.app.coalesce.Coalescing;
import dev.weir.gateway.app.rehearsal.Rehearsal;
import dev.weir.gateway.cluster.ClusterStatus;
import dev.weir.gateway.cluster.Secured;
import dev.weir.gateway.export.ExportCounts;
import dev.weir.gateway.export.ExportDesk;
import dev.weir.gateway.http.FrontDesk;
import dev.weir.gateway.http.HttpServer;
import dev.weir.gateway.http.Sockets;
import dev.weir.gateway.http.proxy.LeastOutstandingTargets;
import dev.weir.gateway.http.proxy.NodeProxy;
import dev.weir.gateway.observe.AccessLog;
import dev.weir.gateway.observe.Metrics;
import dev.weir.gateway.parse.StreamedBulks;
import dev.weir.model.RequestLog;
import dev.weir.model.RequestRouter;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportStats;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
  private static final Duration AVOID_UNREACHABLE = Duration.ofSeconds(2);
  private static final Duration READY_PAUSE = Duration.ofMillis(10);
  private static final Duration FORCED_CLOSE = Duration.ofSeconds(5);

  private final Closers closers = new Closers();
  private final AtomicBoolean draining = new AtomicBoolean();
  private final GatewayPolicy policy;
  private final PolicyInForce inForce;
  private final Metrics metrics;
  private final AdmissionController admission;
  private final Gatekeeper gate;
  private final DeadlineDesk deadlines;
  private final Coalescing coalescing;
  private final MemoryLedger bodies;
  private final GatewayMemory memory;
  private final CostEstimator costs = new CostEstimator();
  private final Trimming trimming;
  private final ExportDesk exports;
  private final Pruning pruning;
  private final Sampling sampling;
  private final Backend backend;
  private final Walk walk;
  private final NodeProxy proxy;
  private final HttpServer server;
  private final ClientPort port;
  private final AdminServer admin;

  /**
   * What is under way; all zero at rest.
   *
   * @param queued requests that wait for nodes, and what these have or keep room for
   * @param writeBytes bytes of writes that nodes have
   */
  public record Load(
      int requests,
      int actions,
      int outstandingCalls,
      int queued,
      long writeBytes,
      long bodyBytes,
      long heldFrames,
      long requestBytes) {
    /** Whether nothing is. */
    public boolean none() {
      return requests == 0
          && actions == 0
          && outstandingCalls == 0
          && queued == 0
          && writeBytes == 0
          && bodyBytes == 0
          && heldFrames == 0
          && requestBytes == 0;
    }
  }

  private Gateway(LoadResult.Loaded loaded, OpenSearchRegistries registries) throws IOException {
    this.policy = loaded.policy();
    this.metrics = closers.add(new Metrics());
    AdmissionPolicy admitting = policy.admission();
    this.admission = new AdmissionController(admitting.maxInFlight(), admitting.retryAfter());
    this.bodies = new MemoryLedger(policy.admission().maxBodyBytes().bytes());
    this.trimming = new Trimming(policy.responses().trimming());
    this.sampling =
        new Sampling(
            policy.responses().sampling(),
            () -> ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));
    try {
      int workers = policy.http().workers();
      EventLoops loops =
          closers.add(
              EventLoops.start(workers > 0 ? workers : Runtime.getRuntime().availableProcessors()));
      this.backend = closers.add(Backend.of(policy, loops, registries, this::busy));
      this.pruning = closers.add(Pruning.of(policy.search().timePruning(), backend, this::busy));
      RequestMemoryPolicy request = policy.admission().requestMemory();
      this.memory =
          new GatewayMemory(
              request,
              GatewayMemory.Pools.of(request, bodies, backend.replies()),
              System::currentTimeMillis);
      KeptRefusals refusals = new KeptRefusals(backend.recent());
      memory.tellRefusals(refusals::memory);
      this.inForce = new PolicyInForce(loaded, backend::use, backend::use, this::use, this::use);
      LoopDelays delays = new LoopDelays(loops.group());
      this.exports =
          new ExportDesk(
              backend.follower(),
              registries.writeables(),
              delays::unlessCalledOff,
              new ExportCounts(),
              policy.responses().export());
      this.deadlines = DeadlineDesk.of(admitting.deadline(), delays);
      this.gate =
          new Gatekeeper(admitting, admission, deadlines.rules(), refusals, System::nanoTime);
      this.walk =
          closers.add(
              Walk.of(
                  registries,
                  backend,
                  delays,
                  AdvertisedGateways.of(policy.http()),
                  metrics.searches(),
                  deadlines,
                  costs,
                  trimming,
                  exports,
                  pruning.searches(),
                  sampling));
      this.coalescing =
          new Coalescing(
              admitting.coalescing(),
              walk.door(),
              () -> backend.follower().status().position(),
              TrimmingFigures.audience(trimming));
      this.proxy = proxy(loops);
      closers.add(proxy::close);
      this.server = closers.add(server(loops));
      this.admin = closers.add(listenForAdmin());
      this.port =
          closers.add(
              ClientPort.open(policy.http(), server, () -> !backend.restAddresses().isEmpty()));
      GatewayMetrics.bind(this, metrics, loops);
      backend.follower().start();
    } catch (IOException | RuntimeException e) {
      closers.close();
      throw e;
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
    gateway.backend.follower().first().thenRun(gateway::announce);
    return gateway;
  }

  private void announce() {
    ClusterStatus status = backend.follower().status();
    ClusterStatus.Identity cluster = status.cluster();
    LOGGER.info(
        "ready: cluster {} with {} nodes",
        cluster == null ? policy.clusterName() : cluster.name(),
        status.nodes().known());
  }

  private NodeProxy proxy(EventLoops loops) throws IOException {
    return new NodeProxy(
        HttpSettings.proxy(policy.cluster()),
        new LeastOutstandingTargets(backend::restAddresses, AVOID_UNREACHABLE, System::nanoTime),
        loops.socketChannel(),
        loops.allocator(),
        TlsContexts.ofRest(policy.cluster().restTls()),
        System::nanoTime);
  }

  private RequestRouter router() {
    ClusterPolicy cluster = policy.cluster();
    RequestRouter router =
        new StreamingRouter(
            walk.door().routes(), () -> inForce.state().policy().bulk().streaming());
    if (cluster.authorization() == ClusterPolicy.Authorization.NODES) {
      Secured secured = new Secured();
      backend.follower().onChange(secured);
      boolean encrypted = cluster.transportTls().enabled();
      router = new SecuringRouter(router, () -> encrypted || secured.getAsBoolean());
    }
    return new RefreshingRouter(
        new SettlingRouter(router, backend.follower()), coalescing::on, coalescing::refreshed);
  }

  private HttpServer server(EventLoops loops) throws IOException {
    FrontDesk desk =
        new FrontDesk(
            router(),
            gate,
            new ReachedHandler(
                backend::unreachable,
                new AdmittingHandler(admission, new KeptRefusals(backend.recent()), coalescing)),
            proxy,
            new LedgerBudget(bodies, memory),
            requestLog(policy.observability()),
            backend.recent().refusals()::keeps,
            System::nanoTime);
    return new HttpServer(
        HttpSettings.server(policy.http(), backend.version()),
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
    try {
      backend.follower().first().toCompletableFuture().get(atMost.toNanos(), TimeUnit.NANOSECONDS);
      while (backend.restAddresses().isEmpty() && System.nanoTime() < deadline) {
        Thread.sleep(READY_PAUSE);
      }
      return !backend.restAddresses().isEmpty();
    } catch (TimeoutException | ExecutionException e) {
      return false;
    }
  }

  /** What is under way now. */
  public Load load() {
    TransportStats transport = backend.clients().stats();
    return new Load(
        admission.inFlight(),
        walk.door().actionsUnderWay(),
        backend.loads().outstanding(),
        backend.queues().queues().waiting() + backend.queues().queues().occupied(),
        backend.queues().queues().writeBytes(),
        bodies.held(),
        transport.heldFrames(),
        memory.held());
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

  /** Whether half of the requests are under way that may be. */
  private boolean busy() {
    return admission.inFlight() > admission.most() / 2;
  }

  /** Goes by another policy from now on in what is looked at anew for each search. */
  private void use(GatewayPolicy changed) {
    ResponsesPolicy responses = changed.responses();
    trimming.use(responses.trimming());
    sampling.use(responses.sampling());
    exports.use(responses.export());
    pruning.use(changed.search().timePruning());
    LogSetup.level(changed.observability());
  }

  /** Lets requests in by another policy from now on. */
  private void use(AdmissionPolicy changed) {
    admission.limit(changed.maxInFlight(), changed.retryAfter());
    gate.use(changed);
    deadlines.rules().use(changed.deadline());
    coalescing.use(changed.coalescing());
    memory.use(changed.requestMemory());
    backend.use(changed);
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

  Gatekeeper gate() {
    return gate;
  }

  DeadlineDesk deadlines() {
    return deadlines;
  }

  Coalescing coalescing() {
    return coalescing;
  }

  MemoryLedger bodies() {
    return bodies;
  }

  StreamedBulks streamedBulks() {
    return walk.door().streamedBulks();
  }

  GatewayMemory memory() {
    return memory;
  }

  Sampling sampling() {
    return sampling;
  }

  Trimming trimming() {
    return trimming;
  }

  ExportCounts exports() {
    return exports.counts();
  }

  Pruning pruning() {
    return pruning;
  }

  CostEstimator costs() {
    return costs;
  }

  Backend backend() {
    return backend;
  }

  NodeProxy proxy() {
    return proxy;
  }

  ThreadPoolExecutor reductions() {
    return walk.reductions();
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
