package dev.weir.bluegreen.traffic;

import dev.weir.admission.head.TenantResolver;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicyOverrides;
import dev.weir.config.policy.RoutePolicy;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.http.intake.Destination;
import dev.weir.http.intake.DestinationSelector;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.RouteTable;
import dev.weir.routing.traffic.WeightedSplit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses a cluster for each request. What a request names that only one cluster can know, such as
 * a scroll, goes there; then counts a header that names a cluster; then a draw by the policy of the
 * request's route. Reads leave out clusters that can't be reached. Safe on any thread.
 */
public final class ClusterRouter implements DestinationSelector {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterRouter.class);

  private final List<? extends UpstreamCluster> clusters;
  private final ReadDecorator readDecorator;
  private final LongSupplier currentTimeMillis;
  private final NodeIdClusterResolver nodeIdResolver;
  private final RollbackBudgets budgets;
  private final Map<String, TrafficCounts> counts = new ConcurrentHashMap<>();
  private final LongAdder failovers = new LongAdder();
  private GatewayPolicy policy;
  private Map<String, WeightOverride> overrides = Map.of();
  private volatile RoutingSnapshot snapshot;

  /** Puts something around what a cluster answers to the requests of a policy. */
  @FunctionalInterface
  public interface ReadDecorator {
    /** Nothing. */
    ReadDecorator NONE = (policy, traffic, cluster) -> cluster.handler();

    /**
     * The handler of a cluster, with something around it.
     *
     * @param policy the policy's name; empty for the one of the whole gateway
     * @param traffic what it says
     */
    RequestHandler decorate(String policy, TrafficPolicy traffic, UpstreamCluster cluster);

    /**
     * The router of a cluster, with something around what passes through.
     *
     * @param policy that requests go by
     * @param traffic what it says of traffic
     */
    default RequestRouter decorateRouter(
        RequestPolicy policy, TrafficPolicy traffic, UpstreamCluster cluster) {
      return cluster.router(policy);
    }
  }

  /**
   * All that a choice goes by.
   *
   * @param singleDestination the only way that there is; null when there are several
   */
  private record RoutingSnapshot(
      RouteTable routes,
      RequestPolicies requestPolicies,
      Map<String, TrafficPlan> plans,
      TrafficPlan defaultPlan,
      TenantResolver tenants,
      @Nullable ClusterDestination singleDestination) {

    TrafficPlan planFor(LazyRequestAttributes asked) {
      RoutePolicy route = routes.isEmpty() ? null : routes.match(asked);
      TrafficPlan named = route == null ? null : plans.get(route.policy());
      return named == null ? defaultPlan : named;
    }
  }

  /**
   * Makes a desk.
   *
   * @param requests the policy, made ready
   * @param clusters in the order of the configuration, one at least
   * @param reads puts something around what they answer
   * @param millis the clock on the wall
   * @param nanoClock such as {@link System#nanoTime()}
   */
  public ClusterRouter(
      GatewayPolicy policy,
      RequestPolicies requests,
      List<? extends UpstreamCluster> clusters,
      ReadDecorator reads,
      LongSupplier millis,
      LongSupplier nanoClock) {
    this.policy = policy;
    this.clusters = List.copyOf(clusters);
    this.readDecorator = reads;
    this.currentTimeMillis = millis;
    this.nodeIdResolver = new NodeIdClusterResolver(this.clusters);
    this.budgets = new RollbackBudgets(nanoClock, this::rollBack);
    this.snapshot = compile(new RouteTable(policy.routes()), requests);
  }

  /**
   * Goes by another policy from now on: requests that come after this go by all of it, those that
   * came before by nothing of it. Weights that an operator set hold until the file's traffic
   * changes; those of a roll-back until the weights or the budget that it is about do.
   *
   * @param requests the same, made ready
   */
  public synchronized void apply(GatewayPolicy changed, RequestPolicies requests) {
    boolean other =
        !changed.traffic().equals(policy.traffic())
            || !trafficPolicies(changed).equals(trafficPolicies(policy))
            || !changed.routes().equals(policy.routes());
    if (other && !overrides.isEmpty()) {
      Map<String, WeightOverride> kept = new HashMap<>();
      overrides.forEach((scope, shift) -> {
        if (shift.source().equals(WeightOverride.SOURCE_ROLLBACK) && hasSameSplit(scope, changed)) {
          kept.put(scope, shift);
        }
      });
      if (kept.size() < overrides.size()) {
        LOGGER.info("the file's weights are in force again: its traffic changed");
      }
      overrides = Map.copyOf(kept);
    }
    boolean sameRoutes = changed.routes().equals(policy.routes());
    policy = changed;
    counts
        .values()
        .removeIf(old -> !old.policy().isEmpty() && !changed.policies().containsKey(old.policy()));
    snapshot = compile(sameRoutes ? snapshot.routes() : new RouteTable(changed.routes()), requests);
  }

  private boolean hasSameSplit(String scope, GatewayPolicy changed) {
    TrafficPolicy before = trafficPolicy(scope, policy);
    TrafficPolicy now = trafficPolicy(scope, changed);
    return before != null
        && now != null
        && before.weights().equals(now.weights())
        && before.rollback().equals(now.rollback());
  }

  private static Map<String, TrafficPolicy> trafficPolicies(GatewayPolicy of) {
    Map<String, TrafficPolicy> all = new HashMap<>();
    of.policies().forEach((name, own) -> all.put(name, own.traffic()));
    return all;
  }

  private static @Nullable TrafficPolicy trafficPolicy(String scope, GatewayPolicy of) {
    if (scope.equals(WeightOverride.SCOPE_DEFAULT)) {
      return of.traffic();
    }
    PolicyOverrides named = of.policies().get(scope);
    return named == null ? null : named.traffic();
  }

  /** With other weights. */
  private RoutingSnapshot rebuildSnapshot() {
    return compile(snapshot.routes(), snapshot.requestPolicies());
  }

  private RoutingSnapshot compile(RouteTable routes, RequestPolicies requests) {
    TrafficPolicy traffic = policy.traffic();
    TrafficPlan standard = plan(requests.defaultPolicy(), traffic);
    Map<String, TrafficPlan> plans = new LinkedHashMap<>();
    policy
        .policies()
        .forEach((String name, PolicyOverrides own) -> {
          RequestPolicy ready = requests.namedPolicies().get(name);
          if (ready != null) {
            plans.put(name, plan(ready, own.traffic()));
          }
        });
    List<TrafficPlan> all = new ArrayList<>(plans.values());
    all.add(standard);
    budgets.apply(all);
    boolean one =
        clusters.size() == 1 && routes.isEmpty() && clusters.getFirst().indexRename().isEmpty();
    return new RoutingSnapshot(
        routes,
        requests,
        Map.copyOf(plans),
        standard,
        new TenantResolver(policy.admission().tenants()),
        one ? standard.destination(clusters.getFirst().name()) : null);
  }

  private TrafficPlan plan(RequestPolicy requests, TrafficPolicy traffic) {
    String name = requests.name();
    Map<String, Double> weights = weights(name, traffic);
    Map<String, ClusterDestination> ways = new LinkedHashMap<>();
    Map<String, ClusterDestination> fixed = new LinkedHashMap<>();
    TrafficPlan plan =
        new TrafficPlan(
            name,
            traffic,
            weights,
            WeightedSplit.of(weights, clusters.getFirst().name()),
            ways,
            fixed);
    for (UpstreamCluster cluster : clusters) {
      String to = cluster.name();
      TrafficCounts counted =
          counts.computeIfAbsent(to + ' ' + name, key -> new TrafficCounts(to, name));
      ClusterDestination.Listener watch = new CountingListener(name, to, counted);
      RequestRouter router = readDecorator.decorateRouter(requests, traffic, cluster);
      RequestHandler handler = readDecorator.decorate(name, traffic, cluster);
      fixed.put(to, new ClusterDestination(cluster, requests, router, handler, watch, () -> null));
      ways.put(
          to,
          new ClusterDestination(
              cluster, requests, router, handler, watch, () -> plan.selectFailover(to)));
    }
    return plan;
  }

  private Map<String, Double> weights(String name, TrafficPolicy traffic) {
    WeightOverride now = name.isEmpty() ? null : overrides.get(name);
    if (now == null && traffic.weights().equals(policy.traffic().weights())) {
      now = overrides.get(WeightOverride.SCOPE_DEFAULT);
    }
    if (now == null) { // the oldest one: it took the place of all that were there
      now = overrides.get(WeightOverride.SCOPE_ALL);
    }
    return now == null ? traffic.weights() : now.weights();
  }

  private final class CountingListener implements ClusterDestination.Listener {
    private final String policyName;
    private final String cluster;
    private final TrafficCounts counts;

    CountingListener(String policyName, String cluster, TrafficCounts counted) {
      this.policyName = policyName;
      this.cluster = cluster;
      this.counts = counted;
    }

    @Override
    public void onRequestEnd(int status) {
      counts.onRequestEnd(status);
      budgets.onRequestEnd(policyName, cluster, status);
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
    LazyRequestAttributes asked = new LazyRequestAttributes(head, now.tenants());
    TrafficPlan plan = now.planFor(asked);
    ClusterDestination chosen = chooseCluster(plan, asked);
    String uri = head.uri(); // once it goes somewhere, its head says what it is called there
    String why = chosen.untranslatableReason(uri);
    if (why != null) {
      return new RejectingDestination(chosen, why);
    }
    return head.contentLength() != 0
            && clusters.size() > 1
            && BodyRoutedDestination.isApplicable(uri)
        ? new BodyRoutedDestination(chosen, text -> resolvePinned(plan, head.method(), uri, text))
        : checkReleasable(chosen, head.method(), uri, null, chosen);
  }

  private @Nullable Destination resolvePinned(
      TrafficPlan plan, String method, String uri, CharSequence body) {
    UpstreamCluster owner = nodeIdResolver.resolve(body);
    if (owner == null) {
      return null;
    }
    ClusterDestination chosen = plan.pinnedDestinations(owner.name());
    return checkReleasable(chosen, method, uri, body, checkTranslatable(chosen, uri));
  }

  private Destination checkReleasable(
      ClusterDestination chosen,
      String method,
      String uri,
      @Nullable CharSequence body,
      Destination otherwise) {
    String why = clusters.size() == 1 ? null : nodeIdResolver.unreleasableReason(method, uri, body);
    return why == null ? otherwise : new RejectingDestination(chosen, why);
  }

  private ClusterDestination chooseCluster(TrafficPlan plan, LazyRequestAttributes asked) {
    if (clusters.size() == 1) {
      return plan.destination(clusters.getFirst().name());
    }
    UpstreamCluster owner = nodeIdResolver.resolveUri(asked.uri());
    if (owner != null) {
      return plan.pinnedDestinations(owner.name());
    }
    ClusterDestination named = resolvePinned(plan, asked);
    return named == null ? plan.select(asked) : named;
  }

  private static Destination checkTranslatable(ClusterDestination chosen, String uri) {
    String why = chosen.untranslatableReason(uri);
    return why == null ? chosen : new RejectingDestination(chosen, why);
  }

  /** The one that a header names; null for none. */
  private static @Nullable ClusterDestination resolvePinned(
      TrafficPlan plan, LazyRequestAttributes asked) {
    String header = plan.policy().canaryHeader();
    String name = header.isEmpty() ? null : asked.header(header);
    return name == null ? null : plan.pinnedDestinations().get(name.trim());
  }

  // What operators ask for.

  /** Sends everything to one cluster. */
  void sendAllTo(String to, String why) {
    putOverride(
        WeightOverride.SCOPE_ALL,
        new WeightOverride(
            Map.of(to, 1.0), WeightOverride.SOURCE_ADMIN, why, currentTimeMillis.getAsLong()));
  }

  /**
   * Splits otherwise than the file says.
   *
   * @param scope a policy's name, or {@link WeightOverride#SCOPE_DEFAULT}
   */
  void overrideWeights(String scope, Map<String, Double> weights, String why) {
    putOverride(
        scope,
        new WeightOverride(
            Map.copyOf(weights), WeightOverride.SOURCE_ADMIN, why, currentTimeMillis.getAsLong()));
  }

  /** Goes by the file again. */
  synchronized void clearOverrides() {
    overrides = Map.of();
    snapshot = rebuildSnapshot();
    LOGGER.info("traffic: by the file's weights again");
  }

  private boolean rollBack(String scope, String to, String why) {
    if (sendsAllTo(scope, to)) {
      return false;
    }
    LOGGER.warn("rolling back to cluster {}: {}", to, why);
    putOverride(
        scope,
        new WeightOverride(
            Map.of(to, 1.0), WeightOverride.SOURCE_ROLLBACK, why, currentTimeMillis.getAsLong()));
    return true;
  }

  private boolean sendsAllTo(String scope, String to) {
    RoutingSnapshot now = snapshot;
    TrafficPlan plan = scope.isEmpty() ? now.defaultPlan() : now.plans().get(scope);
    return plan == null || plan.split().clusters().equals(List.of(to));
  }

  private synchronized void putOverride(String scope, WeightOverride shift) {
    Map<String, WeightOverride> now = new HashMap<>();
    if (!scope.equals(WeightOverride.SCOPE_ALL)) {
      now.putAll(overrides);
    }
    now.put(scope, shift);
    overrides = Map.copyOf(now);
    snapshot = rebuildSnapshot();
    LOGGER.info(
        "traffic of {}: {} ({})",
        switch (scope) {
          case WeightOverride.SCOPE_ALL -> "all policies";
          case WeightOverride.SCOPE_DEFAULT -> "the whole gateway";
          default -> "policy " + scope;
        },
        shift.weights(),
        shift.reason());
  }

  /** A read of a policy was repeated elsewhere, and the answers compared. On any thread. */
  public void onShadowCompared(String scope, boolean different) {
    budgets.onShadowCompared(scope, different);
  }

  /** The policies that requests are given now. */
  public RequestPolicies requestPolicies() {
    return snapshot.requestPolicies();
  }

  // What is shown.

  /** The clusters, in the order of the configuration. */
  List<? extends UpstreamCluster> clusters() {
    return clusters;
  }

  /** The plans in force, that of the whole gateway first. */
  List<TrafficPlan> plans() {
    RoutingSnapshot now = snapshot;
    List<TrafficPlan> all = new ArrayList<>();
    all.add(now.defaultPlan());
    now.plans().values().stream().sorted(Comparator.comparing(TrafficPlan::name)).forEach(all::add);
    return all;
  }

  /** Weights that stand in for the file's, by what they are for. */
  synchronized Map<String, WeightOverride> overrides() {
    return overrides;
  }

  /** What became of requests, by cluster and policy. */
  List<TrafficCounts> counts() {
    return counts.values().stream()
        .sorted(Comparator.comparing(TrafficCounts::cluster).thenComparing(TrafficCounts::policy))
        .toList();
  }

  /** Reads that another cluster answered than the one that was asked first. */
  long failoverReads() {
    return failovers.sum();
  }

  /** What may go wrong before everything goes to one cluster. */
  RollbackBudgets budgets() {
    return budgets;
  }
}
