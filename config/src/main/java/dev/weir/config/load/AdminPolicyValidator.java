package dev.weir.config.load;

import dev.weir.config.policy.AdminPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HealthPolicy;
import dev.weir.config.policy.HostPort;
import java.util.List;

/**
 * Checks the keys of the sections {@code admin} and {@code health} that depend on each other, and
 * the addresses of other admin ports.
 */
final class AdminPolicyValidator {
  private AdminPolicyValidator() {}

  static void validate(GatewayPolicy policy, SectionBinder binder) {
    AdminPolicy admin = policy.admin();
    validatePorts(policy, binder);
    validateReach(admin, binder);
    validateToken(admin.token(), binder);
    TlsPolicyValidator.validateServer("admin.tls", admin.tls(), binder);
    if (!admin.clientCaFile().isEmpty()) {
      if (!admin.tls().enabled()) {
        binder.report(
            "admin.client-ca-file", "got a file without TLS (expected: admin.tls.enabled: true)");
      }
      TlsPolicyValidator.validateFile("admin.client-ca-file", admin.clientCaFile(), binder);
    }
    List<String> names = admin.hostNames();
    for (int i = 0; i < names.size(); i++) {
      if (!NameRules.HOST.matcher(names.get(i)).matches()) {
        binder.report(
            "admin.host-names[" + i + "]",
            "got '" + names.get(i) + "' (expected: a host name without a port)");
      }
    }
    validateOtherAddresses(policy.operations().otherAdminAddresses(), binder);
  }

  private static void validateOtherAddresses(List<String> addresses, SectionBinder binder) {
    for (int i = 0; i < addresses.size(); i++) {
      if (!NameRules.isHttpUrl(addresses.get(i))) {
        binder.report(
            "operations.other-admin-addresses[" + i + "]",
            "got '" + addresses.get(i) + "' (expected: a URL such as http://10.0.0.2:9250)");
      }
    }
  }

  private static void validatePorts(GatewayPolicy policy, SectionBinder binder) {
    HostPort http = policy.http().listen();
    HostPort admin = policy.admin().listen();
    HealthPolicy health = policy.health();
    if (http.port() != 0 && http.equals(admin)) {
      binder.report(
          "admin.listen", "got " + admin + " twice (expected: another port than http.listen)");
    }
    if (health.enabled()
        && health.listen().port() != 0
        && (health.listen().equals(http) || health.listen().equals(admin))) {
      binder.report(
          "health.listen",
          "got "
              + health.listen()
              + " twice (expected: another port than http.listen and admin.listen)");
    }
  }

  /** A client that reaches the port without credentials could drain the gateway. */
  private static void validateReach(AdminPolicy admin, SectionBinder binder) {
    if (AdminPolicy.isLoopback(admin.listen())) {
      return;
    }
    String got = "got " + admin.listen() + ", which other machines can reach, without ";
    if (!admin.requiresCredentials() && !binder.isBroken("admin.token")) {
      binder.report(
          "admin.listen",
          got
              + "credentials (expected: a loopback address such as 127.0.0.1, or admin.token or"
              + " admin.client-ca-file)");
    }
    if (!admin.tls().enabled() && !admin.plaintextAllowed()) {
      binder.report(
          "admin.listen",
          got
              + "TLS (expected: a loopback address such as 127.0.0.1, or admin.tls.enabled: true;"
              + " with encryption elsewhere, admin.plaintext-allowed: true)");
    }
  }

  private static void validateToken(String token, SectionBinder binder) {
    if (SecretLengthValidator.validate("admin.token", token, binder)
        && !token.chars().allMatch(c -> c > ' ' && c < 127)) {
      binder.report(
          "admin.token",
          "got a space or a character that is not ASCII (expected: printable ASCII)");
    }
  }
}
