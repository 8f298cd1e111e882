package dev.weir.bluegreen.traffic;

import dev.weir.admission.head.TenantResolver;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicyOverrides;
import dev.weir.config.policy.RoutePolicy;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.model.RequestPolicies;
import dev.weir.routing.traffic.RouteTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The complete input of the cluster selection, replaced as a whole. Immutable.
 *
 * @param source the configuration and overrides from which the rest was compiled
 * @param plans by policy name
 * @param defaultPlan of requests without a named policy
 * @param singleDestination the only destination; null if there are several
 */
record RoutingSnapshot(
    Source source,
    Map<String, TrafficPlan> plans,
    TrafficPlan defaultPlan,
    TenantResolver tenants,
    @Nullable ClusterDestination singleDestination) {

  /**
   * The input of the compiler.
   *
   * @param overrides overridden weights by scope
   * @param routes the compiled routes of {@code policy}
   * @param requestPolicies the compiled policies of {@code policy}
   */
  record Source(
      GatewayPolicy policy,
      Map<String, WeightOverride> overrides,
      RouteTable routes,
      RequestPolicies requestPolicies) {
    Source {
      overrides = Map.copyOf(overrides);
    }

    Source withOverrides(Map<String, WeightOverride> others) {
      return new Source(policy, others, routes, requestPolicies);
    }

    /**
     * The input for a changed configuration. Overrides of an operator last until the configured
     * traffic changes; those of a rollback until the configured weights or the budget change.
     */
    Source withPolicy(GatewayPolicy changed, RequestPolicies compiled) {
      boolean sameRoutes = changed.routes().equals(policy.routes());
      return new Source(
          changed,
          overridesUnder(changed),
          sameRoutes ? routes : new RouteTable(changed.routes()),
          compiled);
    }

    private Map<String, WeightOverride> overridesUnder(GatewayPolicy changed) {
      boolean sameTraffic =
          changed.traffic().equals(policy.traffic())
              && trafficPolicies(changed).equals(trafficPolicies(policy))
              && changed.routes().equals(policy.routes());
      if (sameTraffic || overrides.isEmpty()) {
        return overrides;
      }
      Map<String, WeightOverride> kept = new HashMap<>();
      overrides.forEach((scope, override) -> {
        if (override.source().equals(WeightOverride.SOURCE_ROLLBACK)
            && hasSameSplit(scope, changed)) {
          kept.put(scope, override);
        }
      });
      return kept;
    }

    private boolean hasSameSplit(String scope, GatewayPolicy changed) {
      TrafficPolicy before = trafficPolicy(scope, policy);
      TrafficPolicy now = trafficPolicy(scope, changed);
      return before != null
          && now != null
          && before.weights().equals(now.weights())
          && before.rollback().equals(now.rollback());
    }

    private static Map<String, TrafficPolicy> trafficPolicies(GatewayPolicy policy) {
      Map<String, TrafficPolicy> all = new HashMap<>();
      policy.policies().forEach((name, overrides) -> all.put(name, overrides.traffic()));
      return all;
    }

    private static @Nullable TrafficPolicy trafficPolicy(String scope, GatewayPolicy policy) {
      if (scope.equals(WeightOverride.SCOPE_DEFAULT)) {
        return policy.traffic();
      }
      PolicyOverrides named = policy.policies().get(scope);
      return named == null ? null : named.traffic();
    }

    /** The weights in force of a policy: overridden or configured. */
    Map<String, Double> weightsOf(String policyName, TrafficPolicy traffic) {
      WeightOverride override = policyName.isEmpty() ? null : overrides.get(policyName);
      if (override == null && traffic.weights().equals(policy.traffic().weights())) {
        override = overrides.get(WeightOverride.SCOPE_DEFAULT);
      }
      if (override == null) { // the oldest override: it replaced all others when it was set
        override = overrides.get(WeightOverride.SCOPE_ALL);
      }
      return override == null ? traffic.weights() : override.weights();
    }
  }

  TrafficPlan planFor(LazyRequestAttributes request) {
    RoutePolicy route = source.routes().isEmpty() ? null : source.routes().match(request);
    TrafficPlan named = route == null ? null : plans.get(route.policy());
    return named == null ? defaultPlan : named;
  }

  List<TrafficPlan> allPlans() {
    List<TrafficPlan> all = new ArrayList<>(plans.values());
    all.add(defaultPlan);
    return all;
  }
}
