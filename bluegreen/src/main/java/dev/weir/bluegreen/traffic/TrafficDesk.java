package dev.weir.bluegreen.traffic;

import dev.weir.admission.head.Tenants;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.OverridesPolicy;
import dev.weir.config.policy.RoutePolicy;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.http.Destination;
import dev.weir.http.Destinations;
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
public final class TrafficDesk implements Destinations {
  private static final Logger LOGGER = LoggerFactory.getLogger(TrafficDesk.class);

  private final List<? extends Cluster> clusters;
  private final ReadWatcher reads;
  private final LongSupplier millis;
  private final NodeOwners owners;
  private final Budgets budgets;
  private final Map<String, TrafficCounts> counts = new ConcurrentHashMap<>();
  private final LongAdder instead = new LongAdder();
  private GatewayPolicy policy;
  private Map<String, Shift> shifts = Map.of();
  private volatile Rules rules;

  /** Puts something around what a cluster answers to the requests of a policy. */
  @FunctionalInterface
  public interface ReadWatcher {
    /** Nothing. */
    ReadWatcher NONE = (policy, traffic, cluster) -> cluster.handler();

    /**
     * The handler of a cluster, with something around it.
     *
     * @param policy the policy's name; empty for the one of the whole gateway
     * @param traffic what it says
     */
    RequestHandler around(String policy, TrafficPolicy traffic, Cluster cluster);

    /**
     * The router of a cluster, with something around what passes through.
     *
     * @param policy that requests go by
     * @param traffic what it says of traffic
     */
    default RequestRouter router(RequestPolicy policy, TrafficPolicy traffic, Cluster cluster) {
      return cluster.router(policy);
    }
  }

  /**
   * All that a choice goes by.
   *
   * @param simple the only way that there is; null when there are several
   */
  private record Rules(
      RouteTable routes,
      RequestPolicies requests,
      Map<String, Plan> plans,
      Plan standard,
      Tenants tenants,
      @Nullable ChosenCluster simple) {

    Plan of(AskedHead asked) {
      RoutePolicy route = routes.isEmpty() ? null : routes.match(asked);
      Plan named = route == null ? null : plans.get(route.policy());
      return named == null ? standard : named;
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
  public TrafficDesk(
      GatewayPolicy policy,
      RequestPolicies requests,
      List<? extends Cluster> clusters,
      ReadWatcher reads,
      LongSupplier millis,
      LongSupplier nanoClock) {
    this.policy = policy;
    this.clusters = List.copyOf(clusters);
    this.reads = reads;
    this.millis = millis;
    this.owners = new NodeOwners(this.clusters);
    this.budgets = new Budgets(nanoClock, this::rollBack);
    this.rules = compiled(new RouteTable(policy.routes()), requests);
  }

  /**
   * Goes by another policy from now on: requests that come after this go by all of it, those that
   * came before by nothing of it. Weights that an operator set hold until the file's traffic
   * changes; those of a roll-back until the weights or the budget that it is about do.
   *
   * @param requests the same, made ready
   */
  public synchronized void use(GatewayPolicy changed, RequestPolicies requests) {
    boolean other =
        !changed.traffic().equals(policy.traffic())
            || !traffics(changed).equals(traffics(policy))
            || !changed.routes().equals(policy.routes());
    if (other && !shifts.isEmpty()) {
      Map<String, Shift> kept = new HashMap<>();
      shifts.forEach((scope, shift) -> {
        if (shift.by().equals(Shift.ROLLBACK) && sameSplit(scope, changed)) {
          kept.put(scope, shift);
        }
      });
      if (kept.size() < shifts.size()) {
        LOGGER.info("the file's weights are in force again: its traffic changed");
      }
      shifts = Map.copyOf(kept);
    }
    boolean sameRoutes = changed.routes().equals(policy.routes());
    policy = changed;
    counts
        .values()
        .removeIf(old -> !old.policy().isEmpty() && !changed.policies().containsKey(old.policy()));
    rules = compiled(sameRoutes ? rules.routes() : new RouteTable(changed.routes()), requests);
  }

  private boolean sameSplit(String scope, GatewayPolicy changed) {
    TrafficPolicy before = traffic(scope, policy);
    TrafficPolicy now = traffic(scope, changed);
    return before != null
        && now != null
        && before.weights().equals(now.weights())
        && before.rollback().equals(now.rollback());
  }

  private static Map<String, TrafficPolicy> traffics(GatewayPolicy of) {
    Map<String, TrafficPolicy> all = new HashMap<>();
    of.policies().forEach((name, own) -> all.put(name, own.traffic()));
    return all;
  }

  private static @Nullable TrafficPolicy traffic(String scope, GatewayPolicy of) {
    if (scope.equals(Shift.STANDARD)) {
      return of.traffic();
    }
    OverridesPolicy named = of.policies().get(scope);
    return named == null ? null : named.traffic();
  }

  /** With other weights. */
  private Rules shifted() {
    return compiled(rules.routes(), rules.requests());
  }

  private Rules compiled(RouteTable routes, RequestPolicies requests) {
    TrafficPolicy traffic = policy.traffic();
    Plan standard = plan(requests.standard(), traffic);
    Map<String, Plan> plans = new LinkedHashMap<>();
    policy
        .policies()
        .forEach((String name, OverridesPolicy own) -> {
          RequestPolicy ready = requests.named().get(name);
          if (ready != null) {
            plans.put(name, plan(ready, own.traffic()));
          }
        });
    List<Plan> all = new ArrayList<>(plans.values());
    all.add(standard);
    budgets.use(all);
    boolean one =
        clusters.size() == 1 && routes.isEmpty() && clusters.getFirst().rename().isEmpty();
    return new Rules(
        routes,
        requests,
        Map.copyOf(plans),
        standard,
        new Tenants(policy.admission().tenants()),
        one ? standard.way(clusters.getFirst().name()) : null);
  }

  private Plan plan(RequestPolicy requests, TrafficPolicy traffic) {
    String name = requests.name();
    Map<String, Double> weights = weights(name, traffic);
    Map<String, ChosenCluster> ways = new LinkedHashMap<>();
    Map<String, ChosenCluster> fixed = new LinkedHashMap<>();
    Plan plan =
        new Plan(
            name,
            traffic,
            weights,
            WeightedSplit.of(weights, clusters.getFirst().name()),
            ways,
            fixed);
    for (Cluster cluster : clusters) {
      String to = cluster.name();
      TrafficCounts counted =
          counts.computeIfAbsent(to + ' ' + name, key -> new TrafficCounts(to, name));
      ChosenCluster.Watch watch = new Watching(name, to, counted);
      RequestRouter router = reads.router(requests, traffic, cluster);
      RequestHandler handler = reads.around(name, traffic, cluster);
      fixed.put(to, new ChosenCluster(cluster, requests, router, handler, watch, () -> null));
      ways.put(
          to, new ChosenCluster(cluster, requests, router, handler, watch, () -> plan.standby(to)));
    }
    return plan;
  }

  private Map<String, Double> weights(String name, TrafficPolicy traffic) {
    Shift now = name.isEmpty() ? null : shifts.get(name);
    if (now == null && traffic.weights().equals(policy.traffic().weights())) {
      now = shifts.get(Shift.STANDARD);
    }
    if (now == null) { // the oldest one: it took the place of all that were there
      now = shifts.get(Shift.ALL);
    }
    return now == null ? traffic.weights() : now.weights();
  }

  private final class Watching implements ChosenCluster.Watch {
    private final String policyName;
    private final String cluster;
    private final TrafficCounts counted;

    Watching(String policyName, String cluster, TrafficCounts counted) {
      this.policyName = policyName;
      this.cluster = cluster;
      this.counted = counted;
    }

    @Override
    public void over(int status) {
      counted.over(status);
      budgets.over(policyName, cluster, status);
    }

    @Override
    public void leaves() {
      instead.increment();
    }
  }

  @Override
  public Destination of(RequestHead head) {
    Rules now = rules;
    ChosenCluster simple = now.simple();
    if (simple != null) {
      return simple;
    }
    AskedHead asked = new AskedHead(head, now.tenants());
    Plan plan = now.of(asked);
    ChosenCluster chosen = choose(plan, asked);
    String uri = head.uri(); // once it goes somewhere, its head says what it is called there
    String why = chosen.unsayable(uri);
    if (why != null) {
      return new Unsayable(chosen, why);
    }
    return head.bodyBytes() != 0 && clusters.size() > 1 && ByBody.suits(uri)
        ? new ByBody(chosen, text -> named(plan, head.method(), uri, text))
        : freeable(chosen, head.method(), uri, null, chosen);
  }

  private @Nullable Destination named(Plan plan, String method, String uri, CharSequence body) {
    Cluster owner = owners.of(body);
    if (owner == null) {
      return null;
    }
    ChosenCluster chosen = plan.fixed(owner.name());
    return freeable(chosen, method, uri, body, sayable(chosen, uri));
  }

  private Destination freeable(
      ChosenCluster chosen,
      String method,
      String uri,
      @Nullable CharSequence body,
      Destination otherwise) {
    String why = clusters.size() == 1 ? null : owners.unfreeable(method, uri, body);
    return why == null ? otherwise : new Unsayable(chosen, why);
  }

  private ChosenCluster choose(Plan plan, AskedHead asked) {
    if (clusters.size() == 1) {
      return plan.way(clusters.getFirst().name());
    }
    Cluster owner = owners.ofUri(asked.uri());
    if (owner != null) {
      return plan.fixed(owner.name());
    }
    ChosenCluster named = named(plan, asked);
    return named == null ? plan.draw(asked) : named;
  }

  private static Destination sayable(ChosenCluster chosen, String uri) {
    String why = chosen.unsayable(uri);
    return why == null ? chosen : new Unsayable(chosen, why);
  }

  /** The one that a header names; null for none. */
  private static @Nullable ChosenCluster named(Plan plan, AskedHead asked) {
    String header = plan.policy().canaryHeader();
    String name = header.isEmpty() ? null : asked.header(header);
    return name == null ? null : plan.fixed().get(name.trim());
  }

  // What operators ask for.

  /** Sends everything to one cluster. */
  void cutOver(String to, String why) {
    put(Shift.ALL, new Shift(Map.of(to, 1.0), Shift.ADMIN, why, millis.getAsLong()));
  }

  /**
   * Splits otherwise than the file says.
   *
   * @param scope a policy's name, or {@link Shift#STANDARD}
   */
  void shift(String scope, Map<String, Double> weights, String why) {
    put(scope, new Shift(Map.copyOf(weights), Shift.ADMIN, why, millis.getAsLong()));
  }

  /** Goes by the file again. */
  synchronized void reset() {
    shifts = Map.of();
    rules = shifted();
    LOGGER.info("traffic: by the file's weights again");
  }

  private boolean rollBack(String scope, String to, String why) {
    if (goesTo(scope, to)) {
      return false;
    }
    LOGGER.warn("rolling back to cluster {}: {}", to, why);
    put(scope, new Shift(Map.of(to, 1.0), Shift.ROLLBACK, why, millis.getAsLong()));
    return true;
  }

  private boolean goesTo(String scope, String to) {
    Rules now = rules;
    Plan plan = scope.isEmpty() ? now.standard() : now.plans().get(scope);
    return plan == null || plan.split().clusters().equals(List.of(to));
  }

  private synchronized void put(String scope, Shift shift) {
    Map<String, Shift> now = new HashMap<>();
    if (!scope.equals(Shift.ALL)) {
      now.putAll(shifts);
    }
    now.put(scope, shift);
    shifts = Map.copyOf(now);
    rules = shifted();
    LOGGER.info(
        "traffic of {}: {} ({})",
        switch (scope) {
          case Shift.ALL -> "all policies";
          case Shift.STANDARD -> "the whole gateway";
          default -> "policy " + scope;
        },
        shift.weights(),
        shift.why());
  }

  /** A read of a policy was repeated elsewhere, and the answers compared. On any thread. */
  public void compared(String scope, boolean different) {
    budgets.compared(scope, different);
  }

  /** The policies that requests are given now. */
  public RequestPolicies requests() {
    return rules.requests();
  }

  // What is shown.

  /** The clusters, in the order of the configuration. */
  List<? extends Cluster> clusters() {
    return clusters;
  }

  /** The plans in force, that of the whole gateway first. */
  List<Plan> plans() {
    Rules now = rules;
    List<Plan> all = new ArrayList<>();
    all.add(now.standard());
    now.plans().values().stream().sorted(Comparator.comparing(Plan::name)).forEach(all::add);
    return all;
  }

  /** Weights that stand in for the file's, by what they are for. */
  synchronized Map<String, Shift> shifts() {
    return shifts;
  }

  /** What became of requests, by cluster and policy. */
  List<TrafficCounts> counts() {
    return counts.values().stream()
        .sorted(Comparator.comparing(TrafficCounts::cluster).thenComparing(TrafficCounts::policy))
        .toList();
  }

  /** Reads that another cluster answered than the one that was asked first. */
  long answeredInstead() {
    return instead.sum();
  }

  /** What may go wrong before everything goes to one cluster. */
  Budgets budgets() {
    return budgets;
  }
}
