package dev.weir.bluegreen.traffic;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.http.intake.Destination;
import dev.weir.http.intake.DestinationSelector;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicies;
import dev.weir.routing.traffic.RouteTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Selects a cluster for each request. An id that only one cluster knows, such as a scroll id,
 * decides first; then a header that names a cluster; then a weighted draw by the policy of the
 * request's route. Reads skip unavailable clusters. Safe on any thread.
 */
public final class ClusterRouter implements DestinationSelector {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterRouter.class);

  private final List<? extends UpstreamCluster> clusters;
  private final LongSupplier currentTimeMillis;
  private final NodeIdClusterResolver nodeIdResolver;
  private final RollbackBudgets budgets;
  private final TrafficCompiler compiler;
  private final Map<String, TrafficCounts> counts = new ConcurrentHashMap<>();
  private final LongAdder failovers = new LongAdder();
  private final Executor rollbackExecutor;

  /** The scopes whose rollback has not run yet. */
  private final Set<String> pendingRollbacks = ConcurrentHashMap.newKeySet();

  private volatile RoutingSnapshot snapshot;
  private volatile Consumer<String> changeListener = change -> {};
  private volatile @Nullable CutoverWatch cutovers;

  /**
   * Creates a router.
   *
   * @param requests the compiled policies
   * @param clusters at least one, in the order of the configuration
   * @param currentTimeMillis the wall clock
   * @param nanoClock such as {@link System#nanoTime()}
   * @param rollbackExecutor runs rollbacks, which compile all policies; not on an event loop
   */
  public ClusterRouter(
      GatewayPolicy policy,
      RequestPolicies requests,
      List<? extends UpstreamCluster> clusters,
      LongSupplier currentTimeMillis,
      LongSupplier nanoClock,
      Executor rollbackExecutor) {
    this.clusters = List.copyOf(clusters);
    this.currentTimeMillis = currentTimeMillis;
    this.nodeIdResolver = new NodeIdClusterResolver(this.clusters);
    this.rollbackExecutor = rollbackExecutor;
    this.budgets = new RollbackBudgets(nanoClock, this::scheduleRollback);
    this.compiler = new TrafficCompiler(this.clusters, CountingListener::new, this::planInForce);
    this.snapshot =
        compiler.compile(
            new RoutingSnapshot.Source(
                policy, Map.of(), new RouteTable(policy.routes()), requests));
    budgets.apply(snapshot.allPlans());
  }

  /**
   * Applies a changed configuration. Each request sees either the old or the new configuration as a
   * whole.
   *
   * @param requests the compiled policies of that configuration
   */
  public void apply(GatewayPolicy changed, RequestPolicies requests) {
    prepare(changed, requests).commit();
  }

  /**
   * Compiles a changed configuration without applying it.
   *
   * @param requests the compiled policies of that configuration
   */
  public PreparedPolicy prepare(GatewayPolicy changed, RequestPolicies requests) {
    RoutingSnapshot running = snapshot;
    return new PreparedPolicy(
        running, compiler.compile(running.source().withPolicy(changed, requests)));
  }

  /** A compiled configuration that one write applies. */
  public final class PreparedPolicy {
    private final RoutingSnapshot previous;
    private RoutingSnapshot next;
    private @Nullable RoutingSnapshot replaced;
    private Map<String, TrafficCounts> removedCounts = Map.of();

    private PreparedPolicy(RoutingSnapshot previous, RoutingSnapshot next) {
      this.previous = previous;
      this.next = next;
    }

    /** Applies it. */
    @SuppressWarnings("ReferenceEquality") // the snapshot itself tells whether it was replaced
    public void commit() {
      synchronized (ClusterRouter.this) {
        RoutingSnapshot running = snapshot;
        RoutingSnapshot.Source source = next.source();
        if (running != previous) { // an operator or a rollback has changed the weights meanwhile
          next =
              compiler.compile(
                  running.source().withPolicy(source.policy(), source.requestPolicies()));
        }
        if (next.source().overrides().size() < running.source().overrides().size()) {
          LOGGER.info("the file's weights are in force again: its traffic changed");
          changeListener.accept("the file's weights are in force again: its traffic changed");
        }
        replaced = running;
        publish(next);
        Map<String, TrafficCounts> removed = new HashMap<>(counts);
        removed.values().removeIf(old -> !isRemoved(old.policy(), source.policy()));
        counts.keySet().removeAll(removed.keySet());
        removedCounts = removed;
      }
    }

    /**
     * Restores the configuration that {@link #commit} replaced; without a commit it has no effect.
     * Weights that an operator or a rollback has changed since then stay in force.
     */
    @SuppressWarnings("ReferenceEquality") // the snapshot itself tells whether it was replaced
    public void revert() {
      synchronized (ClusterRouter.this) {
        RoutingSnapshot restored = replaced;
        if (restored == null) {
          return;
        }
        replaced = null;
        counts.putAll(removedCounts); // the restored plans count into these
        RoutingSnapshot running = snapshot;
        publish(
            running == next
                ? restored
                : compiler.compile(restored.source().withOverrides(running.source().overrides())));
      }
    }
  }

  private static boolean isRemoved(String policyName, GatewayPolicy policy) {
    return !policyName.isEmpty() && !policy.policies().containsKey(policyName);
  }

  private void publish(RoutingSnapshot next) {
    budgets.apply(next.allPlans());
    RoutingSnapshot before = snapshot;
    snapshot = next;
    CutoverWatch watch = cutovers;
    if (watch != null) {
      watch.onWeightsChanged(before, next);
    }
  }

  /** Sets what releases the requests that a change of the weights leaves on a dead cluster. */
  public void setCutoverWatch(CutoverWatch watch) {
    cutovers = watch;
  }

  private TrafficPlan planInForce(String policyName) {
    RoutingSnapshot now = snapshot;
    return now.plans().getOrDefault(policyName, now.defaultPlan());
  }

  private final class CountingListener implements ClusterDestination.Listener {
    private final String policyName;
    private final String cluster;
    private final TrafficCounts policyCounts;

    CountingListener(String policyName, String cluster) {
      this.policyName = policyName;
      this.cluster = cluster;
      this.policyCounts =
          counts.computeIfAbsent(
              cluster + ' ' + policyName, key -> new TrafficCounts(cluster, policyName));
    }

    @Override
    public void onRequestEnd(int status, boolean nodesLost) {
      policyCounts.onRequestEnd(status);
      budgets.onRequestEnd(policyName, cluster, nodesLost);
    }

    @Override
    public void onFailover() {
      failovers.increment();
    }
  }

  @Override
  public Destination select(RequestHead head) {
    RoutingSnapshot now = snapshot;
    ClusterDestination simple = now.singleDestination();
    if (simple != null) {
      return simple;
    }
    LazyRequestAttributes attributes = new LazyRequestAttributes(head, now.tenants());
    TrafficPlan plan = now.planFor(attributes);
    ClusterDestination chosen = chooseCluster(plan, attributes);
    String uri = head.uri(); // routing renames the indices in the request head
    String reason = chosen.untranslatableReason(uri);
    if (reason != null) {
      return new RejectingDestination(chosen, reason);
    }
    BodyRoutedDestination.BodyKind body =
        head.contentLength() != 0 && clusters.size() > 1
            ? BodyRoutedDestination.bodyKind(uri)
            : null;
    return body == null
        ? checkReleasable(chosen, head.method(), uri, null, chosen)
        : new BodyRoutedDestination(
            chosen, body, text -> pinnedByBody(plan, head.method(), uri, text));
  }

  private @Nullable Destination pinnedByBody(
      TrafficPlan plan, String method, String uri, CharSequence body) {
    UpstreamCluster owner = nodeIdResolver.resolve(body);
    if (owner == null) {
      return null;
    }
    ClusterDestination chosen = plan.pinnedDestination(owner.name());
    return checkReleasable(chosen, method, uri, body, checkTranslatable(chosen, uri));
  }

  private Destination checkReleasable(
      ClusterDestination chosen,
      String method,
      String uri,
      @Nullable CharSequence body,
      Destination otherwise) {
    String reason =
        clusters.size() == 1 ? null : nodeIdResolver.unreleasableReason(method, uri, body);
    return reason == null ? otherwise : new RejectingDestination(chosen, reason);
  }

  private ClusterDestination chooseCluster(TrafficPlan plan, LazyRequestAttributes attributes) {
    if (clusters.size() == 1) {
      return plan.destination(clusters.getFirst().name());
    }
    UpstreamCluster owner = nodeIdResolver.resolveUri(attributes.uri());
    if (owner != null) {
      return plan.pinnedDestination(owner.name());
    }
    ClusterDestination named = pinnedByHeader(plan, attributes);
    return named == null ? plan.select(attributes) : named;
  }

  private static Destination checkTranslatable(ClusterDestination chosen, String uri) {
    String reason = chosen.untranslatableReason(uri);
    return reason == null ? chosen : new RejectingDestination(chosen, reason);
  }

  /** The cluster that a header names; null if none does. */
  private static @Nullable ClusterDestination pinnedByHeader(
      TrafficPlan plan, LazyRequestAttributes attributes) {
    String header = plan.policy().canaryHeader();
    String name = header.isEmpty() ? null : attributes.header(header);
    return name == null ? null : plan.pinnedDestinations().get(name.trim());
  }

  // Changes by operators.

  /**
   * Sets who gets each change of the weights in words, other than by a changed file. Called under a
   * lock, so it must not block.
   */
  public void setChangeListener(Consumer<String> listener) {
    changeListener = listener;
  }

  /** Sends everything to one cluster. */
  void sendAllTo(String to, String reason) {
    putOverride(
        WeightOverride.SCOPE_ALL,
        new WeightOverride(
            Map.of(to, 1.0), WeightOverride.SOURCE_ADMIN, reason, currentTimeMillis.getAsLong()));
  }

  /**
   * Overrides the configured weights.
   *
   * @param scope a policy's name, or {@link WeightOverride#SCOPE_DEFAULT}
   */
  void overrideWeights(String scope, Map<String, Double> weights, String reason) {
    putOverride(
        scope,
        new WeightOverride(
            Map.copyOf(weights),
            WeightOverride.SOURCE_ADMIN,
            reason,
            currentTimeMillis.getAsLong()));
  }

  /** Removes all overrides. */
  synchronized void clearOverrides() {
    publish(compiler.compile(snapshot.source().withOverrides(Map.of())));
    LOGGER.info("traffic: the file's weights are in force again");
    changeListener.accept("the file's weights are in force again");
  }

  /** On an event loop, or where shadow reads are compared. */
  private void scheduleRollback(String scope, String to, String reason) {
    if (!sendsAllTo(scope, to) && pendingRollbacks.add(scope)) {
      rollbackExecutor.execute(() -> {
        try {
          rollBack(scope, to, reason);
        } finally {
          pendingRollbacks.remove(scope);
        }
      });
    }
  }

  private synchronized void rollBack(String scope, String to, String reason) {
    if (sendsAllTo(scope, to)) {
      return; // an operator or a reload was faster
    }
    LOGGER.warn("rolling back to cluster {}: {}", to, reason);
    budgets.onRollback();
    putOverride(
        scope,
        new WeightOverride(
            Map.of(to, 1.0),
            WeightOverride.SOURCE_ROLLBACK,
            reason,
            currentTimeMillis.getAsLong()));
  }

  private boolean sendsAllTo(String scope, String to) {
    RoutingSnapshot now = snapshot;
    TrafficPlan plan = scope.isEmpty() ? now.defaultPlan() : now.plans().get(scope);
    return plan == null || plan.split().clusters().equals(List.of(to));
  }

  private synchronized void putOverride(String scope, WeightOverride override) {
    Map<String, WeightOverride> now = new HashMap<>();
    if (!scope.equals(WeightOverride.SCOPE_ALL)) {
      now.putAll(snapshot.source().overrides());
    }
    now.put(scope, override);
    publish(compiler.compile(snapshot.source().withOverrides(now)));
    String policies =
        switch (scope) {
          case WeightOverride.SCOPE_ALL -> "all policies";
          case WeightOverride.SCOPE_DEFAULT -> "the whole gateway";
          default -> "policy " + scope;
        };
    LOGGER.info("traffic of {}: {} ({})", policies, override.weights(), override.reason());
    changeListener.accept(
        "traffic of %s by %s: %s (%s)"
            .formatted(policies, override.source(), override.describeShares(), override.reason()));
  }

  /** Records the comparison of a shadow read. On any thread. */
  public void onShadowCompared(String scope, boolean different) {
    budgets.onShadowCompared(scope, different);
  }

  /** The compiled policies in force. */
  public RequestPolicies requestPolicies() {
    return snapshot.source().requestPolicies();
  }

  // State for operators.

  /** The clusters, in the order of the configuration. */
  List<? extends UpstreamCluster> clusters() {
    return clusters;
  }

  /** The plans in force; the one of the whole gateway is first. */
  List<TrafficPlan> plans() {
    RoutingSnapshot now = snapshot;
    List<TrafficPlan> all = new ArrayList<>();
    all.add(now.defaultPlan());
    now.plans().values().stream().sorted(Comparator.comparing(TrafficPlan::name)).forEach(all::add);
    return all;
  }

  /** Returns which clusters get requests now. */
  public TrafficShares shares() {
    return TrafficShares.of(snapshot);
  }

  /** Overridden weights by scope. */
  Map<String, WeightOverride> overrides() {
    return snapshot.source().overrides();
  }

  /** Request counts by cluster and policy. */
  List<TrafficCounts> counts() {
    return counts.values().stream()
        .sorted(Comparator.comparing(TrafficCounts::cluster).thenComparing(TrafficCounts::policy))
        .toList();
  }

  /** Reads that failed over to another cluster. */
  long failoverReads() {
    return failovers.sum();
  }

  /** Requests that were released because a cut-over left them on a dead cluster. */
  long releasedRequests() {
    CutoverWatch watch = cutovers;
    return watch == null ? 0 : watch.releasedRequests();
  }

  /** The budgets of automatic rollbacks. */
  RollbackBudgets budgets() {
    return budgets;
  }
}
