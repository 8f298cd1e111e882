package dev.weir.config.load;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HttpPolicy;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Checks that no header by which a node may recognize a client is declared to say nothing about it:
 * one client would get the rights of another. Headers with other names that the security plugin is
 * configured to read are found while the gateway runs.
 */
final class NeutralHeaderValidator {
  private static final Set<String> CREDENTIALS = Set.of("host", "origin", "x-real-ip", "via");

  /** Beginnings of names that nodes, proxies and signatures use. */
  private static final List<String> PREFIXES =
      List.of("x-proxy-", "x-amz-", "x-client-", "_opendistro_", "_opensearch_");

  /** Parts of names that hint at a user, or at a secret. */
  private static final List<String> PARTS =
      List.of(
          "auth",
          "cert",
          "cookie",
          "credential",
          "forwarded",
          "impersonate",
          "jwt",
          "key",
          "role",
          "secret",
          "security",
          "session",
          "tenant",
          "token",
          "user");

  private NeutralHeaderValidator() {}

  static void validate(GatewayPolicy policy, SectionBinder binder) {
    HttpPolicy http = policy.http();
    for (int i = 0; i < http.neutralHeaders().size(); i++) {
      String path = "http.neutral-headers[" + i + "]";
      String name = http.neutralHeaders().get(i);
      if (!NameRules.HEADER.matcher(name).matches()) {
        binder.report(path, "got '" + name + "' (expected: the name of a header)");
      }
      validate(path, name, http, binder);
    }
    String common = policy.admission().deadline().timeoutHeader();
    validate("admission.deadline.timeout-header", common, http, binder);
    policy
        .policies()
        .forEach((name, own) -> {
          String header = own.deadline().timeoutHeader();
          if (!header.equals(common)) {
            validate("policies." + name + ".deadline.timeout-header", header, http, binder);
          }
        });
  }

  private static void validate(String path, String name, HttpPolicy http, SectionBinder binder) {
    if (isCredential(name.toLowerCase(Locale.ROOT)) || isIdentityHeader(name, http)) {
      binder.report(
          path,
          "got "
              + name
              + ", by which a node may recognize a client (expected: a header that says nothing"
              + " about the client)");
    }
  }

  private static boolean isCredential(String name) {
    return CREDENTIALS.contains(name)
        || PREFIXES.stream().anyMatch(name::startsWith)
        || PARTS.stream().anyMatch(name::contains);
  }

  private static boolean isIdentityHeader(String name, HttpPolicy http) {
    return http.identityHeaders().stream().anyMatch(name::equalsIgnoreCase)
        || name.equalsIgnoreCase(http.clientCertificates().userHeader())
        || name.equalsIgnoreCase(http.clientCertificates().rolesHeader());
  }
}
