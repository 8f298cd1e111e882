package dev.weir.bluegreen.traffic;

import dev.weir.admission.head.TenantResolver;
import dev.weir.config.policy.PolicyOverrides;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.WeightedSplit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Compiles a configuration into a {@link RoutingSnapshot}. Safe on any thread. */
final class TrafficCompiler {
  private final List<? extends UpstreamCluster> clusters;
  private final ListenerFactory listeners;
  private final Function<String, TrafficPlan> newestPlans;

  /** Creates the listener of one policy's requests to one cluster. */
  @FunctionalInterface
  interface ListenerFactory {
    ClusterDestination.Listener create(String policyName, String cluster);
  }

  /**
   * Creates a compiler.
   *
   * @param newestPlans the plan in force of a policy
   */
  TrafficCompiler(
      List<? extends UpstreamCluster> clusters,
      ListenerFactory listeners,
      Function<String, TrafficPlan> newestPlans) {
    this.clusters = clusters;
    this.listeners = listeners;
    this.newestPlans = newestPlans;
  }

  RoutingSnapshot compile(RoutingSnapshot.Source source) {
    TrafficPlan defaultPlan =
        plan(source, source.requestPolicies().defaultPolicy(), source.policy().traffic());
    Map<String, TrafficPlan> plans = new LinkedHashMap<>();
    source
        .policy()
        .policies()
        .forEach((String name, PolicyOverrides overrides) -> {
          RequestPolicy compiled = source.requestPolicies().namedPolicies().get(name);
          if (compiled != null) {
            plans.put(name, plan(source, compiled, overrides.traffic()));
          }
        });
    UpstreamCluster first = clusters.getFirst();
    boolean hasSingleDestination =
        clusters.size() == 1 && source.routes().isEmpty() && first.indexRename().isEmpty();
    return new RoutingSnapshot(
        source,
        Map.copyOf(plans),
        defaultPlan,
        new TenantResolver(source.policy().admission().tenants()),
        hasSingleDestination ? defaultPlan.destination(first.name()) : null);
  }

  private TrafficPlan plan(
      RoutingSnapshot.Source source, RequestPolicy requests, TrafficPolicy traffic) {
    String name = requests.name();
    Map<String, Double> weights = source.weightsOf(name, traffic);
    Map<String, ClusterDestination> destinations = new LinkedHashMap<>();
    Map<String, ClusterDestination> pinned = new LinkedHashMap<>();
    TrafficPlan plan =
        new TrafficPlan(
            name,
            traffic,
            weights,
            WeightedSplit.of(weights, clusters.getFirst().name()),
            destinations,
            pinned);
    for (UpstreamCluster cluster : clusters) {
      String to = cluster.name();
      ClusterDestination.Listener listener = listeners.create(name, to);
      RequestRouter router = cluster.router(requests);
      RequestHandler handler = cluster.handler(requests);
      pinned.put(
          to, new ClusterDestination(cluster, requests, router, handler, listener, () -> null));
      destinations.put(
          to,
          new ClusterDestination(
              cluster, requests, router, handler, listener, () -> selectFailover(plan, to)));
    }
    return plan;
  }

  /** By the weights of the request, or by those in force if they send elsewhere now. */
  private @Nullable ClusterDestination selectFailover(TrafficPlan plan, String insteadOf) {
    ClusterDestination other = plan.selectFailover(insteadOf);
    if (other != null) {
      return other;
    }
    TrafficPlan newest = newestPlans.apply(plan.name());
    return newest.split().clusters().contains(insteadOf) ? null : newest.selectFailover(insteadOf);
  }
}
