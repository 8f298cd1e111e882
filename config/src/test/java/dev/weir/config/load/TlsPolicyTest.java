package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.GatewayPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The keys about encryption, certificates and trusted proxies. */
final class TlsPolicyTest {
  private static final String PLAIN_CLUSTER = "clusters: {main: {seeds: [\"127.0.0.1:9301\"]}}\n";

  private String pem = "";
  private String store = "";

  @BeforeEach
  void writeFiles(@TempDir Path folder) throws IOException {
    pem = Files.writeString(folder.resolve("tls.pem"), "certificate").toString();
    store = Files.writeString(folder.resolve("tls.p12"), "certificate").toString();
  }

  private static LoadResult parse(String text) {
    return new PolicyLoader(Map.of()).parse("weir.yaml", text);
  }

  private static GatewayPolicy policy(String text) {
    return switch (parse(text)) {
      case LoadResult.Loaded loaded -> loaded.policy();
      case LoadResult.Invalid refused -> throw new AssertionError(refused.render());
    };
  }

  private static List<String> problems(String text) {
    return switch (parse(text)) {
      case LoadResult.Loaded _ -> List.of();
      case LoadResult.Invalid refused ->
          refused.problems().stream().map(ConfigurationProblem::message).toList();
    };
  }

  private String cluster(String keys) {
    return "clusters:\n  main:\n    seeds: [\"127.0.0.1:9301\"]\n" + keys;
  }

  private String http(String clientCertificates) {
    return PLAIN_CLUSTER
        + "http:\n  tls: {enabled: true, certificate-file: "
        + pem
        + ", key-file: "
        + pem
        + "}\n  client-certificates: {"
        + clientCertificates
        + "}\n";
  }

  @Test
  void refuseACertificateThatStandsForEveryClient() {
    String restTls =
        "    rest-tls: {enabled: true, certificate-file: " + pem + ", key-file: " + pem + "}\n";
    assertThat(problems(cluster(restTls)))
        .singleElement()
        .asString()
        .startsWith("got a certificate that the gateway would present with every client's request")
        .endsWith(
            "shared-rest-certificate-allowed: true): clusters.main.rest-tls.certificate-file");
    assertThat(problems(cluster(restTls + "    authorization: none\n"))).isEmpty();
    assertThat(
            SecurityWarnings.of(
                policy(cluster(restTls + "    shared-rest-certificate-allowed: true\n"))))
        .anyMatch(warning ->
            warning.startsWith("clusters.main.shared-rest-certificate-allowed: got true"));
  }

  @Test
  void acceptPkcs12WithoutAKeyFile() {
    assertThat(
            problems(
                PLAIN_CLUSTER + "http: {tls: {enabled: true, certificate-file: " + store + "}}\n"))
        .isEmpty();
    assertThat(
            problems(
                PLAIN_CLUSTER
                    + "http: {tls: {enabled: true, certificate-file: "
                    + store
                    + ", key-file: "
                    + pem
                    + "}}\n"))
        .containsExactly(
            "got a key beside a PKCS#12 file, which has its own (expected: none):"
                + " http.tls.key-file");
    assertThat(problems(cluster("    transport-tls: {enabled: true, ca-file: none.p12}\n")))
        .containsExactly(
            "got none.p12, which is not there (expected: a PKCS#12 file):"
                + " clusters.main.transport-tls.ca-file");
  }

  @Test
  void readClientCertificates() {
    GatewayPolicy policy = policy(http("mode: optional, ca-file: " + pem + ", user-attribute: cn"));
    assertThat(policy.http().clientCertificates().isPassedOn()).isTrue();
    assertThat(policy.http().clientCertificates().userHeader()).isEqualTo("x-proxy-user");
    assertThat(policy(PLAIN_CLUSTER).http().clientCertificates().isPassedOn()).isFalse();
  }

  @Test
  void refuseClientCertificatesThatCannotBeVerified() {
    assertThat(problems(http("mode: required")))
        .containsExactly(
            "got none (expected: the file of the certificate authorities of clients):"
                + " http.client-certificates.ca-file");
    assertThat(
            problems(
                PLAIN_CLUSTER
                    + "http: {client-certificates: {mode: optional, ca-file: "
                    + pem
                    + "}}\n"))
        .containsExactly(
            "got a mode without TLS (expected: http.tls.enabled: true, or none):"
                + " http.client-certificates.mode");
    assertThat(problems(http("user-attribute: cn")))
        .singleElement()
        .asString()
        .contains("expected: mode optional or required");
    assertThat(problems(http("ca-file: " + pem)))
        .containsExactly(
            "got authorities of certificates that nobody presents (expected: mode optional or"
                + " required): http.client-certificates.ca-file");
    String verified = "mode: optional, ca-file: " + pem + ", ";
    assertThat(problems(http(verified + "roles-attribute: ou")))
        .singleElement()
        .asString()
        .contains("got roles without a user");
    assertThat(problems(http(verified + "user-attribute: cn, user-header: Authorization")))
        .singleElement()
        .asString()
        .contains("got Authorization, which no proxy may change");
    assertThat(problems(http(verified + "user-attribute: cn, roles-header: X-Proxy-User")))
        .singleElement()
        .asString()
        .contains("another header than user-header");
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.1.0.0/16", "10.1.2.3", "fd00::/8", "fd00::1", "0.0.0.0/0"})
  void readTrustedProxies(String proxy) {
    assertThat(
            policy(PLAIN_CLUSTER + "http: {trusted-proxies: [\"" + proxy + "\"]}\n")
                .http()
                .trustedProxies())
        .containsExactly(proxy);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"10.1.0.0/33", "proxy.example.org", "10.1.2.300", "fd00::/129", "10.1.2.3/"})
  void refuseWhatIsNoNetwork(String proxy) {
    assertThat(problems(PLAIN_CLUSTER + "http: {trusted-proxies: [\"" + proxy + "\"]}\n"))
        .containsExactly(
            "got '"
                + proxy
                + "' (expected: an address or a network, such as 10.1.0.0/16):"
                + " http.trusted-proxies[0]");
  }

  @Test
  void refuseTheProxyProtocolOfNobody() {
    assertThat(problems(PLAIN_CLUSTER + "http: {proxy-protocol-enabled: true}\n"))
        .singleElement()
        .asString()
        .contains("got true without a proxy that may use it");
  }

  @Test
  void refuseToDropHeadersThatFrameAMessage() {
    assertThat(
            problems(
                PLAIN_CLUSTER + "http: {identity-headers: [X-User, Content-Length, \"a b\"]}\n"))
        .containsExactly(
            "got Content-Length, which no proxy may change (expected: a header of a user):"
                + " http.identity-headers[1]",
            "got 'a b' (expected: the name of a header): http.identity-headers[2]");
  }

  @Test
  void warnOfWhatLetsOthersReadOrPretend() {
    assertThat(SecurityWarnings.of(policy(PLAIN_CLUSTER))).isEmpty();
    String verified = "{enabled: true, ca-file: " + pem + "}\n";
    assertThat(
            SecurityWarnings.of(
                policy(cluster("    transport-tls: " + verified + "    rest-tls: " + verified))))
        .isEmpty();
    assertThat(
            SecurityWarnings.of(
                policy(
                    cluster(
                        "    transport-tls: {enabled: true}\n"
                            + "    rest-tls: {enabled: true, verify-hostname: false, ca-file: "
                            + pem
                            + "}\n"
                            + "http: {listen: \"0.0.0.0:9200\", trusted-proxies:"
                            + " [\"::/0\"]}\n"))))
        .extracting(warning -> warning.substring(0, warning.indexOf(": got")))
        .containsExactly(
            "clusters.main.transport-tls.ca-file",
            "clusters.main.rest-tls.verify-hostname",
            "http.tls.enabled",
            "http.trusted-proxies");
    assertThat(SecurityWarnings.of(policy(cluster("    transport-tls: " + verified))))
        .singleElement()
        .asString()
        .startsWith("clusters.main.rest-tls.enabled: got false beside transport-tls");
    assertThat(
            SecurityWarnings.of(
                policy(
                    cluster("    rest-tls: " + verified)
                        + "  second:\n    seeds: [\"127.0.0.1:9302\"]\n")))
        .singleElement()
        .asString()
        .startsWith("clusters.second.rest-tls.enabled: got false beside a cluster with rest-tls");
  }

  @Test
  void warnOfFilesThatEncryptNothing() {
    String files = "tls: {certificate-file: " + pem + ", key-file: " + pem + "}\n";
    assertThat(
            SecurityWarnings.of(
                policy(
                    cluster("    transport-" + files + "    rest-tls: {ca-file: " + pem + "}\n")
                        + "http:\n  "
                        + files
                        + "admin:\n  "
                        + files)))
        .extracting(warning -> warning.substring(0, warning.indexOf(", so")))
        .containsExactly(
            "clusters.main.transport-tls: got files while enabled is false",
            "clusters.main.rest-tls: got files while enabled is false",
            "http.tls: got files while enabled is false",
            "admin.tls: got files while enabled is false");
  }

  /** Such a name has a {@code =}, and may be that of an administrator's certificate. */
  @Test
  void warnOfNamesThatAuthorizationInTheGatewayRefuses() {
    String verified = "{enabled: true, ca-file: " + pem + "}\n";
    String secured =
        cluster(
            "    authorization: gateway\n    transport-tls: {enabled: true, ca-file: "
                + pem
                + ", certificate-file: "
                + pem
                + ", key-file: "
                + pem
                + "}\n    rest-tls: "
                + verified);
    String certificates =
        "http:\n  tls: {enabled: true, certificate-file: "
            + pem
            + ", key-file: "
            + pem
            + "}\n  client-certificates: {mode: required, ca-file: "
            + pem
            + ", user-attribute: ";
    assertThat(SecurityWarnings.of(policy(secured + certificates + "cn}\n"))).isEmpty();
    assertThat(SecurityWarnings.of(policy(secured + certificates + "dn}\n")))
        .singleElement()
        .asString()
        .startsWith(
            "http.client-certificates.user-attribute: got dn beside authorization: gateway");
  }
}
