package dev.weir.config.load;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.RoutePolicy;
import dev.weir.config.policy.TrafficPolicy;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks the keys that decide about the cluster of a request and that depend on each other: {@code
 * clusters}, {@code traffic}, {@code routes} and {@code policies}. Confined to the reading thread.
 */
final class TrafficPolicyValidator {
  private final GatewayPolicy policy;
  private final SectionBinder binder;

  TrafficPolicyValidator(GatewayPolicy policy, SectionBinder binder) {
    this.policy = policy;
    this.binder = binder;
  }

  void validate() {
    policy
        .clusters()
        .forEach((name, cluster) -> {
          if (!NameRules.PLAIN.matcher(name).matches()) {
            binder.reportName(
                "clusters." + name,
                "got '" + name + "' (expected: " + NameRules.PLAIN_DESCRIPTION + ")",
                "");
          }
          validateRenames("clusters." + name + ".index-renames", cluster.indexRenames());
        });
    validateTraffic("traffic", policy.traffic(), TrafficPolicy.DEFAULT);
    Set<String> used = routedPolicyNames();
    policy
        .policies()
        .forEach((name, overrides) -> {
          String path = "policies." + name;
          if (!NameRules.PLAIN.matcher(name).matches()) {
            binder.reportName(
                path, "got '" + name + "' (expected: " + NameRules.PLAIN_DESCRIPTION + ")", "");
          } else if (!used.contains(name)) {
            binder.reportName(
                path,
                "got a policy that no route names (expected: a route with policy: " + name + ")",
                SpellingSuggester.suggest(name, used));
          }
          validateTraffic(path + ".traffic", overrides.traffic(), policy.traffic());
        });
  }

  /**
   * Checks the values of a section that it does not inherit: inherited ones are checked at their
   * origin.
   */
  private void validateTraffic(String path, TrafficPolicy traffic, TrafficPolicy from) {
    if (!traffic.weights().equals(from.weights())) {
      validateWeights(path + ".weights", traffic.weights());
    }
    if (traffic.splitBy() != from.splitBy()
        && traffic.splitBy() == TrafficPolicy.SplitBy.TENANT
        && isSingleTenant()) {
      binder.report(
          path + ".split-by",
          "got tenant while admission.tenants tells none apart (expected: with"
              + " admission.tenants.source, or client, index, request)");
    }
    if (!traffic.canaryHeader().equals(from.canaryHeader())
        && !traffic.canaryHeader().isEmpty()
        && !NameRules.HEADER.matcher(traffic.canaryHeader()).matches()) {
      binder.report(
          path + ".canary-header",
          "got '"
              + traffic.canaryHeader()
              + "' (expected: the name of a header, such as X-Weir-Cluster)");
    }
    validateClusterName(
        path + ".shadow.target-cluster",
        traffic.shadow().targetCluster(),
        from.shadow().targetCluster());
    validateClusterName(
        path + ".rollback.target-cluster",
        traffic.rollback().targetCluster(),
        from.rollback().targetCluster());
    validateClusterName(
        path + ".dual-writes.target-cluster",
        traffic.dualWrites().targetCluster(),
        from.dualWrites().targetCluster());
    if (!traffic.dualWrites().equals(from.dualWrites())
        && !traffic.dualWrites().targetCluster().isEmpty()
        && traffic.dualWrites().repairLogDirectory().isEmpty()) {
      binder.report(
          path + ".dual-writes.target-cluster",
          "got "
              + traffic.dualWrites().targetCluster()
              + " without repair-log-directory (expected: a directory for writes that it does not"
              + " get)");
    }
  }

  private boolean isSingleTenant() {
    return TenantKeysValidator.isSingleTenant(policy.admission().tenants(), binder);
  }

  private void validateWeights(String path, Map<String, Double> weights) {
    double sum = 0;
    for (Map.Entry<String, Double> entry : weights.entrySet()) {
      String key = path + "." + entry.getKey();
      double weight = entry.getValue();
      if (!policy.clusters().containsKey(entry.getKey())) {
        binder.reportName(key, unknownCluster(entry.getKey()), hint(entry.getKey()));
      }
      if (!(weight >= 0 && weight <= TrafficPolicy.MAX_WEIGHT)) {
        binder.report(key, "got " + weight + " (expected: 0 to 1000000)");
      }
      sum += weight;
    }
    if (!weights.isEmpty() && sum <= 0) {
      binder.report(path, "got weights of 0 alone (expected: one over 0, or no weights)");
    }
  }

  private void validateClusterName(String path, String name, String from) {
    if (!name.isEmpty() && !name.equals(from) && !policy.clusters().containsKey(name)) {
      binder.report(path, unknownCluster(name), hint(name));
    }
  }

  private String unknownCluster(String cluster) {
    return "got '"
        + cluster
        + "' (expected: one of the clusters "
        + String.join(", ", policy.clusters().keySet())
        + ")";
  }

  private String hint(String cluster) {
    return SpellingSuggester.suggest(cluster, policy.clusters().keySet());
  }

  /** Returns the policies that routes name. */
  private Set<String> routedPolicyNames() {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < policy.routes().size(); i++) {
      RoutePolicy route = policy.routes().get(i);
      String path = "routes[" + i + "]";
      if (!NameRules.PLAIN.matcher(route.name()).matches()) {
        binder.report(
            path + ".name",
            "got '" + route.name() + "' (expected: " + NameRules.PLAIN_DESCRIPTION + ")");
      } else if (!names.add(route.name())) {
        binder.report(
            path + ".name", "got '" + route.name() + "' twice (expected: each route its own)");
      }
      if (!policy.policies().containsKey(route.policy())) {
        Set<String> known = policy.policies().keySet();
        binder.report(
            path + ".policy",
            "got '"
                + route.policy()
                + "' (expected: "
                + (known.isEmpty() ? "a name in policies" : "one of " + String.join(", ", known))
                + ")",
            SpellingSuggester.suggest(route.policy(), known));
      }
      for (String method : route.methods()) {
        if (!NameRules.METHODS.contains(method)) {
          binder.report(
              path + ".methods",
              "got '" + method + "' (expected: of " + String.join(", ", NameRules.METHODS) + ")",
              SpellingSuggester.suggest(method, NameRules.METHODS));
        }
      }
      route.headers().keySet().stream()
          .filter(header -> !NameRules.HEADER.matcher(header).matches())
          .forEach(header ->
              binder.reportName(
                  path + ".headers." + header,
                  "got '" + header + "' (expected: the name of a header, such as X-Canary)",
                  ""));
      TenantKeysValidator.validate(path, route.tenants(), policy.admission().tenants(), binder);
    }
    return policy.routes().stream().map(RoutePolicy::policy).collect(Collectors.toSet());
  }

  private void validateRenames(String path, Map<String, String> renames) {
    renames.forEach((from, to) -> {
      String key = path + "." + from;
      if (!isName(from)) {
        binder.reportName(key, "got '" + from + "' (expected: an index, or one with a *)", "");
      } else if (!isName(to) || countStars(from) != countStars(to)) {
        binder.report(
            key,
            "got '"
                + to
                + "' for '"
                + from
                + "' (expected: "
                + (countStars(from) == 0
                    ? "an index without *"
                    : "an index with one *, as its pattern")
                + ")");
      }
    });
  }

  /** Returns whether a text can be an index name, or a pattern with a single star. */
  private static boolean isName(String name) {
    return !name.isEmpty()
        && countStars(name) <= 1
        && "-_+".indexOf(name.charAt(0)) < 0
        && name.chars().noneMatch(c -> c <= ' ' || ",/?#%<>{}:|\\\"".indexOf(c) >= 0);
  }

  private static long countStars(String name) {
    return name.chars().filter(c -> c == '*').count();
  }
}
