package dev.weir.config.load;

import dev.weir.config.policy.AdminPolicy;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.ClusterPolicy.Authorization;
import dev.weir.config.policy.HostPort;

/**
 * Checks who checks clients. A gateway that other machines can reach opens an unprotected cluster
 * to them, so the operator has to say that this is meant: what a probe of the nodes finds is no
 * decision.
 */
final class AuthorizationValidator {
  private AuthorizationValidator() {}

  static void validate(String path, ClusterPolicy cluster, HostPort listen, SectionBinder binder) {
    if (cluster.authorization() == Authorization.DETECT
        && !cluster.transportTls().enabled()
        && !AdminPolicy.isLoopback(listen)) {
      binder.report(
          path + ".authorization",
          "got detect, the default, on http.listen "
              + listen
              + ", which other machines can reach, without transport-tls (expected: none if every"
              + " client may do everything in this cluster; delegate if its nodes check clients;"
              + " gateway if they have the security plugin)");
    }
    for (int i = 0; i < cluster.pluginsWithoutFilters().size(); i++) {
      if (cluster.pluginsWithoutFilters().get(i).isBlank()) {
        binder.report(
            path + ".plugins-without-filters[" + i + "]",
            "got an empty name (expected: that of a plugin, such as analysis-icu)");
      }
    }
  }
}
