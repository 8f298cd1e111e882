package dev.weir.gateway.authorization;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a cluster asks for credentials. The strictest evidence of any node counts.
 *
 * <p>A node that nobody could reach, or that has just joined, counts only while no other node
 * serves requests without credentials: no request could pass through to it, and one that passed
 * through to the others would meet no check.
 *
 * @param mode {@code DELEGATE} or {@code NONE}
 * @param reason why, as a clause
 */
record SecurityVerdict(AuthorizationMode mode, String reason) {
  /**
   * What is known about the cluster as a whole.
   *
   * @param transportTls whether the gateway speaks TLS to the transport ports
   * @param restCertificate whether the gateway shows a certificate on the REST ports, so that a
   *     probe does not show what a client without one would get
   * @param securityIndex whether the cluster has the index of the security plugin
   */
  record ClusterEvidence(boolean transportTls, boolean restCertificate, boolean securityIndex) {}

  /** Judges by all evidence. */
  static SecurityVerdict of(
      ClusterEvidence cluster, Collection<NodeEvidence> nodes, KnownPlugins known) {
    if (cluster.transportTls()) {
      return delegate("transport-tls is enabled");
    }
    if (cluster.restCertificate()) {
      return delegate("rest-tls has a certificate");
    }
    String proof = proofOfSecurity(cluster.securityIndex(), nodes);
    if (proof != null) {
      return delegate(proof);
    }
    for (NodeEvidence node : nodes) {
      List<String> unknown = node.plugins() == null ? List.of() : known.unknown(node.plugins());
      if (!unknown.isEmpty()) {
        return delegate(
            "node "
                + node.name()
                + " has the plugin "
                + unknown.getFirst()
                + ", which may filter requests");
      }
    }
    return byAnswers(nodes);
  }

  /** Returns what proves that nodes ask for credentials; null for nothing. */
  static @Nullable String proofOfSecurity(boolean securityIndex, Collection<NodeEvidence> nodes) {
    if (securityIndex) {
      return "the cluster has the index of the security plugin";
    }
    for (NodeEvidence node : nodes) {
      if (node.probe() instanceof ProbeResult.Secured(int status)) {
        return "node " + node.name() + " answered " + status + " to a request without credentials";
      }
      if (node.plugins() != null && KnownPlugins.hasSecurity(node.plugins())) {
        return "node " + node.name() + " has the security plugin";
      }
    }
    return null;
  }

  private static SecurityVerdict byAnswers(Collection<NodeEvidence> nodes) {
    for (NodeEvidence node : nodes) {
      if (node.probe() instanceof ProbeResult.Unclear(String detail)) {
        return delegate("node " + node.name() + " " + detail + " to a request without credentials");
      }
    }
    if (nodes.stream().anyMatch(NodeEvidence::isOpen)) {
      return new SecurityVerdict(
          AuthorizationMode.NONE, "the nodes serve requests without credentials");
    }
    return delegate(
        nodes.stream().allMatch(node -> node.probe() == null)
            ? "no node has been probed yet"
            : "no node is known to serve requests without credentials");
  }

  private static SecurityVerdict delegate(String reason) {
    return new SecurityVerdict(AuthorizationMode.DELEGATE, reason);
  }
}
