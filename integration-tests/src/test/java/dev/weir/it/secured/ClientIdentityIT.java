package dev.weir.it.secured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.fixtures.TestPolicies;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.secured.Credentials;
import dev.weir.testkit.secured.IssuedCertificate;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SecuredUser;
import dev.weir.testkit.secured.SharedSecuredCluster;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Who a client is for the nodes of a secured cluster, with a gateway between them. */
@Drawn(oneIn = 2)
class ClientIdentityIT {
  private static final String ORDERS = "/orders-2026-*/_search?sort=order";
  private static final String AUTHINFO = "/_plugins/_security/authinfo";
  private static final String IMPERSONATE = "opendistro_security_impersonate_as";

  private final SecuredCluster cluster = SharedSecuredCluster.get();
  private final Credentials credentials = cluster.credentials();

  @Test
  void runAsTheImpersonatedUser() {
    RestAccess impersonator = credentials.password(SecuredUser.IMPERSONATOR);
    String reader = SecuredUser.ORDERS_READER.username();
    RestAccess asReader = impersonator.withHeader(IMPERSONATE, reader);
    RestAccess asAdmin = impersonator.withHeader(IMPERSONATE, SecuredUser.ADMIN.username());
    RestAccess asNobody = credentials.password(SecuredUser.NOBODY).withHeader(IMPERSONATE, reader);
    try (SecuredGateway gateway = SecuredGateway.inFrontOf(cluster)) {
      assertSameAsNode(gateway, asReader, ORDERS, 200);
      assertThat(gateway.get(asReader, AUTHINFO).body())
          .contains("\"user_name\":\"" + reader + "\"");
      assertSameAsNode(gateway, asReader, "/payrolls/_search", 403);
      assertSameAsNode(gateway, impersonator, ORDERS, 403);
      assertSameAsNode(gateway, asAdmin, ORDERS, 403);
      assertSameAsNode(gateway, asNobody, ORDERS, 403);
      assertSameAsNode(gateway, credentials.none(), ORDERS, 401);
      RestAccess analyst = credentials.password(SecuredUser.ANALYST);
      RestAccess inTenant = analyst.withHeader("securitytenant", "analysts");
      assertThat(gateway.get(inTenant, AUTHINFO).body())
          .contains("\"user_requested_tenant\":\"analysts\"");
    }
  }

  @Test
  void keepInternalHeadersFromNodes() {
    RestAccess nobody = credentials.password(SecuredUser.NOBODY);
    try (SecuredGateway gateway = SecuredGateway.inFrontOf(cluster)) {
      String plain = account(gateway, nobody);
      for (String header :
          List.of(
              "_opendistro_security_user_header",
              "_opendistro_security_user",
              "_opendistro_security_origin_header",
              "_opendistro_security_ssl_principal",
              "_OpenDistro_Security_Trustedcluster_Request",
              "_opensearch_security_user",
              "opendistro_security_user",
              "Opendistro_Security_Injected_User",
              "opendistro_security_injected_roles")) {
        RestAccess forged = nobody.withHeader(header, "admin");
        assertThat(account(gateway, forged)).as(header).isEqualTo(plain);
        assertThat(gateway.get(forged, ORDERS).status()).as(header).isEqualTo(403);
      }
    }
  }

  @Test
  void keepInternalHeadersFromClients() throws Exception {
    RestAccess reader = credentials.password(SecuredUser.AUDITOR);
    try (SecuredGateway gateway = SecuredGateway.inFrontOf(cluster);
        HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(gateway.uri().resolve(ORDERS))
              .header("Authorization", reader.headers().getOrDefault("Authorization", ""))
              .build();
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().map().keySet())
          .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("opendistro"))
          .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("opensearch_security"));
    }
  }

  @Test
  void acceptUsersOfTrustedProxiesOnly() {
    RestAccess proxied = credentials.proxied("guest", "proxied-orders");
    try (SecuredGateway gateway =
        SecuredGateway.start(cluster, "trusted-proxies: [\"127.0.0.1\"]", "")) {
      assertSameAsNode(gateway, proxied, ORDERS, 200);
      assertThat(gateway.get(proxied, AUTHINFO).body())
          .contains("\"user_name\":\"guest\"", "proxied-orders", "192.0.2.7");
      assertSameAsNode(gateway, credentials.proxied("guest", "none"), ORDERS, 403);
    }
    try (SecuredGateway gateway = SecuredGateway.inFrontOf(cluster)) {
      assertThat(gateway.get(proxied, ORDERS).status()).isEqualTo(401);
      RestAccess nominating = proxied.withHeader("X-Forwarded-For", "192.0.2.7");
      assertThat(gateway.get(nominating, ORDERS).status()).isEqualTo(401);
      RestAccess reader = credentials.password(SecuredUser.REGION_READER);
      RestAccess both = reader.withHeader("x-proxy-user", "orders-reader");
      assertThat(gateway.get(both, AUTHINFO).body()).contains("\"user_name\":\"region-reader\"");
    }
  }

  @Test
  void passTheUserOfAClientCertificateOn() {
    String http =
        SecuredGateway.httpTls(cluster)
            + "\n  client-certificates: {mode: optional, user-attribute: cn, ca-file: \"%s\"}"
                .formatted(cluster.certificates().authority().certificateFile());
    IssuedCertificate stranger = cluster.certificates().authority().issue("stranger");
    try (SecuredGateway gateway = SecuredGateway.start(cluster, http, "")) {
      RestAccess client = credentials.certificate(cluster.certificates().client());
      assertThat(gateway.get(client, AUTHINFO).orThrow().body())
          .contains("\"user_name\":\"client\"", "orders_reader");
      assertSameAsNode(gateway, client, ORDERS, 200);
      assertSameAsNode(gateway, credentials.certificate(stranger), ORDERS, 403);
      assertSameAsNode(gateway, credentials.none(), ORDERS, 401);
      RestAccess forged = credentials.none().withHeader("x-proxy-user", "client");
      assertThat(gateway.get(forged, ORDERS).status()).isEqualTo(401);
      RestAccess both = client.withHeader("x-proxy-user", "admin");
      assertThat(gateway.get(both, AUTHINFO).body()).contains("\"user_name\":\"client\"");
    }
  }

  @Test
  void demandClientCertificates() {
    String http =
        SecuredGateway.httpTls(cluster)
            + "\n  client-certificates: {mode: required, user-attribute: cn, ca-file: \"%s\"}"
                .formatted(cluster.certificates().authority().certificateFile());
    try (SecuredGateway gateway = SecuredGateway.start(cluster, http, "")) {
      RestAccess client = credentials.certificate(cluster.certificates().client());
      assertThat(gateway.get(client, ORDERS).status()).isEqualTo(200);
      RestAccess none = credentials.password(SecuredUser.ORDERS_READER);
      assertThatThrownBy(() -> gateway.get(none, ORDERS)).isInstanceOf(UncheckedIOException.class);
    }
  }

  @Test
  void refuseACertificateThatWouldStandForEveryClient() {
    IssuedCertificate admin = cluster.certificates().admin();
    String certificate =
        "      certificate-file: %s%n      key-file: %s%n"
            .formatted(admin.certificateFile(), admin.keyFile());
    String refused = SecuredGateway.config(cluster, "", certificate);
    assertThatThrownBy(() -> TestPolicies.parse(refused))
        .hasMessageContaining("shared-rest-certificate-allowed");
    String meant = "%s    shared-rest-certificate-allowed: true%n".formatted(certificate);
    try (SecuredGateway gateway = SecuredGateway.start(cluster, "", meant)) {
      // the node sees the certificate alone, so a client without credentials is the administrator
      assertThat(gateway.get(credentials.none(), AUTHINFO).orThrow().body())
          .contains("\"user_name\":\"CN=admin\"");
    }
  }

  /** Returns whom a node takes the client for, without the port of the connection. */
  private static String account(SecuredGateway gateway, RestAccess access) {
    return gateway.get(access, AUTHINFO).orThrow().body().replaceFirst("127.0.0.1:\\d+", "");
  }

  /** Asserts the status, and the same status and body from a node. */
  private void assertSameAsNode(
      SecuredGateway gateway, RestAccess access, String path, int status) {
    RestReply through = gateway.get(access, path);
    RestReply direct;
    try (RestClient node = cluster.client(access)) {
      direct = node.send("GET", path);
    }
    assertThat(through.status()).as(path + " " + through.body()).isEqualTo(status);
    assertThat(direct.status()).as(path + " " + direct.body()).isEqualTo(status);
    assertThat(withoutTime(through)).isEqualTo(withoutTime(direct));
  }

  private static String withoutTime(RestReply reply) {
    return reply.body().replaceFirst("\"took\":\\d+", "\"took\":0");
  }
}
