package dev.weir.config.load;

import dev.weir.config.policy.AdminPolicy;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.TlsClientPolicy;
import dev.weir.config.policy.TlsServerPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds settings that are valid and let somebody read traffic or pass for somebody else, or that
 * leave authorization in the gateway without effect. Some networks need them, so they are no
 * problems.
 */
public final class SecurityWarnings {
  private final List<String> warnings = new ArrayList<>();

  private SecurityWarnings() {}

  /** Returns one sentence for each setting, with its key first. */
  public static List<String> of(GatewayPolicy policy) {
    SecurityWarnings found = new SecurityWarnings();
    policy.clusters().forEach((name, cluster) -> found.checkCluster("clusters." + name, cluster));
    found.checkRepeatingClusters(policy);
    found.checkClients(policy);
    return found.warnings;
  }

  private void checkCluster(String path, ClusterPolicy cluster) {
    checkVerification(path + ".transport-tls", cluster.transportTls());
    checkVerification(path + ".rest-tls", cluster.restTls());
    checkUnusedFiles(path + ".transport-tls", cluster.transportTls());
    checkUnusedFiles(path + ".rest-tls", cluster.restTls());
    if (cluster.transportTls().enabled() && !cluster.restTls().enabled()) {
      warn(
          path + ".rest-tls.enabled",
          "got false beside transport-tls, so credentials of clients reach the nodes in clear text"
              + " (recommended: true)");
    }
    if (cluster.restTls().enabled()
        && !cluster.restTls().certificateFile().isEmpty()
        && cluster.authorization() != ClusterPolicy.Authorization.NONE) {
      warn(
          path + ".shared-rest-certificate-allowed",
          "got true, so every client has the permissions of rest-tls.certificate-file at the nodes"
              + " (recommended: a certificate that the nodes map to no user)");
    }
  }

  /** Requests with credentials are repeated at other clusters, by shadow reads and dual writes. */
  private void checkRepeatingClusters(GatewayPolicy policy) {
    boolean secured = policy.clusters().values().stream().anyMatch(all -> all.restTls().enabled());
    policy
        .clusters()
        .forEach((name, cluster) -> {
          if (secured && !cluster.restTls().enabled() && !cluster.transportTls().enabled()) {
            warn(
                "clusters." + name + ".rest-tls.enabled",
                "got false beside a cluster with rest-tls, so credentials that clients have for"
                    + " that one reach these nodes in clear text (recommended: true)");
          }
        });
  }

  private void checkVerification(String path, TlsClientPolicy tls) {
    if (!tls.enabled()) {
      return;
    }
    if (!tls.verifyHostname()) {
      warn(
          path + ".verify-hostname",
          "got false, so every certificate of the authorities in ca-file passes for each node"
              + " (recommended: true)");
    }
    if (tls.caFile().isEmpty()) {
      warn(
          path + ".ca-file",
          "got none, so a certificate of every public authority passes for a node's (recommended:"
              + " the certificate authority of the nodes)");
    }
  }

  private void checkUnusedFiles(String path, TlsClientPolicy tls) {
    checkUnusedFiles(path, tls.enabled(), tls.certificateFile(), tls.keyFile(), tls.caFile());
  }

  private void checkUnusedFiles(String path, TlsServerPolicy tls) {
    checkUnusedFiles(path, tls.enabled(), tls.certificateFile(), tls.keyFile());
  }

  /** Names of files alone do not turn encryption on. */
  private void checkUnusedFiles(String path, boolean enabled, String... files) {
    if (!enabled && !Stream.of(files).allMatch(String::isEmpty)) {
      warn(
          path,
          "got files while enabled is false, so nothing is encrypted (recommended: enabled: true)");
    }
  }

  private void checkClients(GatewayPolicy policy) {
    checkUnusedFiles("http.tls", policy.http().tls());
    checkUnusedFiles("admin.tls", policy.admin().tls());
    boolean secured = policy.clusters().values().stream().anyMatch(all -> all.restTls().enabled());
    if (secured
        && !policy.http().tls().enabled()
        && !AdminPolicy.isLoopback(policy.http().listen())) {
      warn(
          "http.tls.enabled",
          "got false on "
              + policy.http().listen()
              + ", so credentials of clients arrive in clear text (recommended: true)");
    }
    if (policy.http().clientCertificates().isPassedOn()
        && policy.http().clientCertificates().userAttribute().equalsIgnoreCase("dn")
        && policy.clusters().values().stream()
            .anyMatch(all -> all.authorization() == ClusterPolicy.Authorization.GATEWAY)) {
      warn(
          "http.client-certificates.user-attribute",
          "got dn beside authorization: gateway, so requests of these users are not coordinated: a"
              + " name with = may be an administrator's (recommended: an attribute, such as cn)");
    }
    for (String network : policy.http().trustedProxies()) {
      if (network.endsWith("/0")) {
        warn(
            "http.trusted-proxies",
            "got "
                + network
                + ", so every client may claim to be any user (recommended: the"
                + " addresses of the proxies)");
      }
    }
  }

  private void warn(String key, String sentence) {
    warnings.add(key + ": " + sentence);
  }
}
