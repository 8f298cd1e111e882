package dev.weir.gateway;

import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.Treatment;
import dev.weir.bluegreen.dual.DualTarget;
import dev.weir.gateway.coalesce.Coalescing;
import dev.weir.bluegreen.traffic.Cluster;
import dev.weir.cluster.Secured;
import dev.weir.responses.export.ExportDesk;
import dev.weir.http.proxy.LeastOutstandingTargets;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.rest.GatewayAddresses;
import dev.weir.model.PolicySections;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.routing.traffic.IndexRename;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All of the gateway that serves one cluster.
 *
 * @param name the cluster's name in the configuration
 * @param backend the cluster as it is reached
 * @param pruning leaves its indices out of searches by time
 * @param exports exports from it
 * @param walk coordinates its requests
 * @param coalescing has identical searches of it run once
 * @param proxy the way through to its nodes
 * @param routers say which requests of a policy are coordinated
 * @param handler takes those
 * @param rename what its indices are called that clients call otherwise
 * @param known the nodes that it has or had
 * @param duals has its writes repeated on other clusters
 * @param closers close what of it has to be closed
 */
record Side(
    String name,
    Backend backend,
    Pruning pruning,
    ExportDesk exports,
    Walk walk,
    Coalescing coalescing,
    NodeProxy proxy,
    RequestPolicy.Section<RequestRouter> routers,
    RequestHandler handler,
    IndexRename rename,
    KnownNodes known,
    DualDesk duals,
    Closers closers)
    implements Cluster, AutoCloseable {
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
  static Side of(
      String name,
      Supplier<GatewayPolicy> policy,
      Commons commons,
      OpenSearchRegistries registries,
      @Nullable GatewayAddresses gateways)
      throws IOException {
    GatewayPolicy now = policy.get();
    ClusterPolicy cluster = now.clusters().get(name);
    if (cluster == null) {
      throw new IllegalArgumentException("got [" + name + "] (expected: a configured cluster)");
    }
    Closers made = new Closers();
    try {
      Backend backend = made.add(Backend.of(now, cluster, commons, registries));
      Pruning pruning = made.add(Pruning.of(now.search().timePruning(), backend, commons::busy));
      ExportDesk exports =
          new ExportDesk(
              backend.follower(),
              registries.writeables(),
              commons.delays()::unlessCalledOff,
              commons.exported(),
              now.responses().export());
      Walk walk =
          made.add(
              Walk.of(name, registries, backend, commons, gateways, exports, pruning.searches()));
      Coalescing coalescing =
          new Coalescing(
              commons.policies().of(Treatment::coalescing),
              walk.door(),
              () -> backend.follower().status().position(),
              TrimmingFigures.audience(commons.trimming()));
      NodeProxy proxy = proxy(cluster, backend, commons);
      made.add(proxy::close);
      KnownNodes known = new KnownNodes();
      backend.follower().onChange(known);
      backend
          .follower()
          .onChange((before, after) -> {
            if (!after.sameClusterAs(before)) {
              coalescing.refreshed(); // positions begin anew in a cluster that was built anew
            }
          });
      BooleanSupplier checks = checks(name, cluster, backend);
      commons
          .duals()
          .add(
              name,
              walk.actions(),
              () -> barred(backend, checks),
              cluster.rename(),
              backend.follower());
      return new Side(
          name,
          backend,
          pruning,
          exports,
          walk,
          coalescing,
          proxy,
          routers(
              commons.policies().of(says -> says.bulk().streaming()),
              checks,
              backend,
              walk,
              coalescing),
          new ReachedHandler(
              backend::unreachable,
              new AdmittingHandler(
                  commons.admission(),
                  commons.bulkheads(),
                  new KeptRefusals(commons.refusals()),
                  coalescing)),
          cluster.rename().isEmpty() ? IndexRename.NONE : new IndexRename(cluster.rename()),
          known,
          commons.duals(),
          made);
    } catch (IOException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  private static NodeProxy proxy(ClusterPolicy cluster, Backend backend, Commons commons)
      throws IOException {
    return new NodeProxy(
        HttpSettings.proxy(cluster),
        new LeastOutstandingTargets(backend::restAddresses, AVOID_UNREACHABLE, System::nanoTime),
        commons.loops().socketChannel(),
        commons.loops().allocator(),
        TlsContexts.ofRest(cluster.restTls()),
        System::nanoTime);
  }

  /** Whether nodes check who sends a request, and the gateway, which asks them, does not. */
  private static BooleanSupplier checks(String name, ClusterPolicy cluster, Backend backend) {
    if (cluster.authorization() != ClusterPolicy.Authorization.NODES) {
      backend.follower().onChange(new UncheckedClients(name));
      return () -> false;
    }
    Secured secured = new Secured();
    backend.follower().onChange(secured);
    boolean encrypted = cluster.transportTls().enabled();
    return () -> encrypted || secured.getAsBoolean();
  }

  private static DualTarget.@Nullable Barred barred(Backend backend, BooleanSupplier checks) {
    if (checks.getAsBoolean()) {
      return DualTarget.Barred.SECURED;
    }
    return backend.unreachable() == null ? null : DualTarget.Barred.UNREACHABLE;
  }

  /** Says by what policies say of large bulks which requests are coordinated. */
  private static RequestPolicy.Section<RequestRouter> routers(
      PolicySections<BulkPolicy.Streaming> sections,
      BooleanSupplier checks,
      Backend backend,
      Walk walk,
      Coalescing coalescing) {
    return sections.add((name, streaming, before) ->
        new RefreshingRouter(
            new SettlingRouter(
                new SecuringRouter(new StreamingRouter(walk.door().routes(), streaming), checks),
                backend.follower()),
            coalescing::on,
            coalescing::refreshed));
  }

  @Override
  public @Nullable String missing() {
    String unreachable = backend.unreachable();
    if (unreachable != null) {
      return unreachable;
    }
    return backend.restAddresses().isEmpty()
        ? "no node's REST address is known yet: nothing could pass through"
        : null;
  }

  @Override
  public Supplier<String> serverVersion() {
    return backend.version();
  }

  @Override
  public RequestRouter router() {
    return RequestPolicy.NONE.of(routers);
  }

  @Override
  public RequestRouter router(RequestPolicy policy) {
    return duals.around(name, policy, policy.of(routers));
  }

  @Override
  public boolean has(String nodeId) {
    return known.contains(nodeId);
  }

  /** Goes by another policy from now on in what is not for a single request to say. */
  void use(GatewayPolicy changed, RequestPolicies requests) {
    backend.use(changed.routing(), requests.standard());
    backend.use(changed.bulk());
    exports.use(changed.responses().export());
    pruning.use(changed.search().timePruning());
  }

  /** Lets requests in by another policy from now on. */
  void use(AdmissionPolicy changed) {
    backend.use(changed);
  }

  @Override
  public void close() {
    closers.close();
  }
}
