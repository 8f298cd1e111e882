package dev.weir.config.load;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.RoutePolicy;
import dev.weir.config.policy.TenantsPolicy;
import dev.weir.config.policy.TrafficPolicy;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What keys that say which cluster gets a request must be together: {@code clusters}, {@code
 * traffic}, {@code routes} and {@code policies}. Confined to the reading thread.
 */
final class TrafficChecks {
  private final GatewayPolicy policy;
  private final SectionBinder binder;

  TrafficChecks(GatewayPolicy policy, SectionBinder binder) {
    this.policy = policy;
    this.binder = binder;
  }

  void check() {
    policy
        .clusters()
        .forEach((name, cluster) -> {
          if (!Names.PLAIN.matcher(name).matches()) {
            binder.reportName(
                "clusters." + name, "got '" + name + "' (expected: " + Names.EXPECTED + ")", "");
          }
          renames("clusters." + name + ".rename", cluster.rename());
        });
    traffic("traffic", policy.traffic(), TrafficPolicy.STANDARD);
    Set<String> used = routes();
    policy
        .policies()
        .forEach((name, overrides) -> {
          String path = "policies." + name;
          if (!Names.PLAIN.matcher(name).matches()) {
            binder.reportName(path, "got '" + name + "' (expected: " + Names.EXPECTED + ")", "");
          } else if (!used.contains(name)) {
            binder.reportName(
                path,
                "got a policy that no route names (expected: a route with policy: " + name + ")",
                NearMiss.hint(name, used));
          }
          traffic(path + ".traffic", overrides.traffic(), policy.traffic());
        });
  }

  /** What is taken over from elsewhere is wrong there. */
  private void traffic(String path, TrafficPolicy traffic, TrafficPolicy from) {
    if (!traffic.weights().equals(from.weights())) {
      weights(path + ".weights", traffic.weights());
    }
    if (traffic.splitBy() != from.splitBy()
        && traffic.splitBy() == TrafficPolicy.SplitBy.TENANT
        && oneTenant()) {
      binder.report(
          path + ".split-by",
          "got tenant while admission.tenants tells none apart (expected: with"
              + " admission.tenants.by, or client, index, request)");
    }
    if (!traffic.canaryHeader().equals(from.canaryHeader())
        && !traffic.canaryHeader().isEmpty()
        && !Names.HEADER.matcher(traffic.canaryHeader()).matches()) {
      binder.report(
          path + ".canary-header",
          "got '"
              + traffic.canaryHeader()
              + "' (expected: the name of a header, such as X-Weir-Cluster)");
    }
    cluster(path + ".shadow.to", traffic.shadow().to(), from.shadow().to());
    cluster(path + ".rollback.to", traffic.rollback().to(), from.rollback().to());
    cluster(path + ".dual-writes.to", traffic.dualWrites().to(), from.dualWrites().to());
    if (!traffic.dualWrites().equals(from.dualWrites())
        && !traffic.dualWrites().to().isEmpty()
        && traffic.dualWrites().repairLog().isEmpty()) {
      binder.report(
          path + ".dual-writes.to",
          "got "
              + traffic.dualWrites().to()
              + " without repair-log (expected: a directory for writes that it does not get)");
    }
  }

  private boolean oneTenant() {
    return policy.admission().tenants().by() == TenantsPolicy.By.NONE;
  }

  private void weights(String path, Map<String, Double> weights) {
    double sum = 0;
    for (Map.Entry<String, Double> entry : weights.entrySet()) {
      String key = path + "." + entry.getKey();
      double weight = entry.getValue();
      if (!policy.clusters().containsKey(entry.getKey())) {
        binder.reportName(key, noSuch(entry.getKey()), hint(entry.getKey()));
      }
      if (!(weight >= 0 && weight <= TrafficPolicy.MOST_WEIGHT)) {
        binder.report(key, "got " + weight + " (expected: 0 to 1000000)");
      }
      sum += weight;
    }
    if (!weights.isEmpty() && sum <= 0) {
      binder.report(path, "got weights of 0 alone (expected: one over 0, or no weights)");
    }
  }

  private void cluster(String path, String name, String from) {
    if (!name.isEmpty() && !name.equals(from) && !policy.clusters().containsKey(name)) {
      binder.report(path, noSuch(name), hint(name));
    }
  }

  private String noSuch(String cluster) {
    return "got '"
        + cluster
        + "' (expected: one of the clusters "
        + String.join(", ", policy.clusters().keySet())
        + ")";
  }

  private String hint(String cluster) {
    return NearMiss.hint(cluster, policy.clusters().keySet());
  }

  /** The policies that are named. */
  private Set<String> routes() {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < policy.routes().size(); i++) {
      RoutePolicy route = policy.routes().get(i);
      String path = "routes[" + i + "]";
      if (!Names.PLAIN.matcher(route.name()).matches()) {
        binder.report(
            path + ".name", "got '" + route.name() + "' (expected: " + Names.EXPECTED + ")");
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
            NearMiss.hint(route.policy(), known));
      }
      for (String method : route.methods()) {
        if (!Names.METHODS.contains(method)) {
          binder.report(
              path + ".methods",
              "got '" + method + "' (expected: of " + String.join(", ", Names.METHODS) + ")",
              NearMiss.hint(method, Names.METHODS));
        }
      }
      route.headers().keySet().stream()
          .filter(header -> !Names.HEADER.matcher(header).matches())
          .forEach(header ->
              binder.reportName(
                  path + ".headers." + header,
                  "got '" + header + "' (expected: the name of a header, such as X-Canary)",
                  ""));
      if (!route.tenants().isEmpty() && oneTenant()) {
        binder.report(
            path + ".tenants",
            "got tenants while admission.tenants tells none apart (expected: with"
                + " admission.tenants.by)");
      }
    }
    return policy.routes().stream().map(RoutePolicy::policy).collect(Collectors.toSet());
  }

  private void renames(String path, Map<String, String> renames) {
    renames.forEach((from, to) -> {
      String key = path + "." + from;
      if (!isName(from)) {
        binder.reportName(key, "got '" + from + "' (expected: an index, or one with a *)", "");
      } else if (!isName(to) || stars(from) != stars(to)) {
        binder.report(
            key,
            "got '"
                + to
                + "' for '"
                + from
                + "' (expected: "
                + (stars(from) == 0 ? "an index without *" : "an index with one *, as its pattern")
                + ")");
      }
    });
  }

  /** Whether it can be one index, or with a single star a pattern of some. */
  private static boolean isName(String name) {
    return !name.isEmpty()
        && stars(name) <= 1
        && "-_+".indexOf(name.charAt(0)) < 0
        && name.chars().noneMatch(c -> c <= ' ' || ",/?#%<>{}:|\\\"".indexOf(c) >= 0);
  }

  private static long stars(String name) {
    return name.chars().filter(c -> c == '*').count();
  }
}
