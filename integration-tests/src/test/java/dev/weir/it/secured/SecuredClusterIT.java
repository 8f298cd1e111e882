package dev.weir.it.secured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.secured.Credentials;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SecuredUser;
import dev.weir.testkit.secured.SharedSecuredCluster;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Instant;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What each user of the shared secured cluster gets straight from a node. */
@Drawn(oneIn = 4)
class SecuredClusterIT {
  private static final String ORDERS = "/orders-*/_search?sort=order";
  private static final String TENANT = "securitytenant";
  private static final Pattern ORDER = Pattern.compile("\"order\": ?\"([^\"]+)\"");

  private final SecuredCluster cluster = SharedSecuredCluster.get();
  private final Credentials credentials = cluster.credentials();

  @Test
  void listThePluginAndEncryptBothLayers() {
    RestClient admin = cluster.nodes().rest();
    assertThat(admin.base().getScheme()).isEqualTo("https");
    assertThat(admin.send("GET", "/_cat/plugins?h=component").orThrow().body())
        .contains("opensearch-security");
    URI plain = URI.create("http://" + admin.base().getAuthority());
    try (RestClient unencrypted = new RestClient(plain)) {
      assertThatThrownBy(() -> unencrypted.send("GET", "/"))
          .isInstanceOf(UncheckedIOException.class);
    }
  }

  @Test
  void rejectMissingAndWrongCredentials() {
    assertThat(send(credentials.none(), "/").status()).isEqualTo(401);
    String admin = SecuredUser.ADMIN.username();
    assertThat(send(credentials.password(admin, "wrong"), "/").status()).isEqualTo(401);
    Instant lastHour = Instant.now().minusSeconds(3_600);
    String expired = credentials.tokens().sign("visitor", "token-orders", lastHour);
    assertThat(send(credentials.token(expired), "/").status()).isEqualTo(401);
  }

  @Test
  void forbidIndicesWithoutRights() {
    assertThat(search(SecuredUser.NOBODY).status()).isEqualTo(403);
    assertThat(search(SecuredUser.INDEXER).status()).isEqualTo(403);
    RestReply payrolls = send(SecuredUser.ORDERS_READER, "/payrolls/_search");
    assertThat(payrolls.status()).isEqualTo(403);
    assertThat(payrolls.body()).contains("no permissions for [indices:data/read/search]");
    assertThat(send(SecuredUser.ORDERS_READER, "/orders-2026-10,payrolls/_search").status())
        .isEqualTo(403);
    assertThat(send(SecuredUser.ADMIN, "/payrolls/_search").body()).contains("5000");
  }

  @Test
  void grantRightsByWildcardAndAlias() {
    assertThat(found(search(SecuredUser.ORDERS_READER))).isEqualTo("A-1 A-2 B-3 B-4");
    assertThat(found(send(SecuredUser.ALIAS_READER, "/orders-latest/_search?sort=order")))
        .isEqualTo("B-3 B-4");
    // a right on an alias covers its indices under their own names too
    assertThat(send(SecuredUser.ALIAS_READER, "/orders-2026-11/_search").status()).isEqualTo(200);
  }

  @Test
  void showOnlyTheDocumentsOfAUsersRegion() {
    assertThat(found(search(SecuredUser.REGION_READER))).isEqualTo("A-1 B-3");
    assertThat(send(SecuredUser.REGION_READER, "/orders-2026-10/_doc/1").status()).isEqualTo(200);
    assertThat(send(SecuredUser.REGION_READER, "/orders-2026-10/_doc/2").status()).isEqualTo(404);
    assertThat(send(SecuredUser.REGION_READER, "/orders-*/_count").body())
        .startsWith("{\"count\":2,");
  }

  @Test
  void showOnlyPermittedFields() {
    RestReply reply = search(SecuredUser.FIELDS_READER);
    assertThat(found(reply)).isEqualTo("A-1 A-2 B-3 B-4");
    assertThat(reply.body()).contains("amount", "region").doesNotContain("customer", "Ada");
    assertThat(found(send(SecuredUser.FIELDS_READER, ORDERS + "&q=customer:Ada"))).isEmpty();
  }

  @Test
  void maskFields() {
    RestReply reply = search(SecuredUser.MASKED_READER);
    assertThat(found(reply)).isEqualTo("A-1 A-2 B-3 B-4");
    assertThat(reply.body())
        .containsPattern("\"customer\":\"[0-9a-f]{64}\"")
        .doesNotContain("Ada", "Ben", "Cleo");
  }

  @Test
  void applyAllRestrictionsAtOnce() {
    RestReply reply = search(SecuredUser.AUDITOR);
    assertThat(found(reply)).isEqualTo("A-2 B-4");
    assertThat(reply.body())
        .containsPattern("\"customer\":\"[0-9a-f]{64}\"")
        .doesNotContain("amount", "north");
  }

  @Test
  void authenticateByCertificateTokenAndProxy() {
    assertThat(account(credentials.certificate(cluster.certificates().client())))
        .contains("\"user_name\":\"client\"", "orders_reader");
    assertThat(account(credentials.token("visitor", "token-orders")))
        .contains("\"user_name\":\"visitor\"", "token-orders", "orders_reader");
    assertThat(account(credentials.proxied("guest", "proxied-orders")))
        .contains("\"user_name\":\"guest\"", "proxied-orders", "orders_reader");
    assertThat(account(credentials.certificate(cluster.certificates().admin())))
        .contains("\"user_name\":\"CN=admin\"");
    RestAccess unknown = credentials.proxied("guest", "another-role");
    assertThat(send(unknown, ORDERS).status()).isEqualTo(403);
  }

  @Test
  void preferAPasswordToTheCertificateOfTheGateway() {
    RestAccess gateway = credentials.certificate(cluster.certificates().gateway());
    assertThat(send(gateway, "/").status()).isEqualTo(401);
    RestAccess reader = credentials.password(SecuredUser.REGION_READER);
    assertThat(found(send(new RestAccess(gateway.tls(), reader.headers()), ORDERS)))
        .isEqualTo("A-1 B-3");
  }

  @Test
  void letOnlyTheImpersonatorActAsAnotherUser() {
    String header = "opendistro_security_impersonate_as";
    String reader = SecuredUser.ORDERS_READER.username();
    RestAccess impersonator = credentials.password(SecuredUser.IMPERSONATOR);
    assertThat(send(impersonator, ORDERS).status()).isEqualTo(403);
    assertThat(found(send(impersonator.withHeader(header, reader), ORDERS)))
        .isEqualTo("A-1 A-2 B-3 B-4");
    RestAccess admin = impersonator.withHeader(header, SecuredUser.ADMIN.username());
    assertThat(send(admin, ORDERS).status()).isEqualTo(403);
    RestAccess nobody = credentials.password(SecuredUser.NOBODY);
    assertThat(send(nobody.withHeader(header, reader), ORDERS).status()).isEqualTo(403);
  }

  @Test
  void leaveForbiddenIndicesOutOnlyIfConfigured() {
    assertThat(send(SecuredUser.ORDERS_READER, "/_search").status()).isEqualTo(403);
    cluster.setDoNotFailOnForbidden(true);
    try {
      assertThat(found(send(SecuredUser.ORDERS_READER, "/_search?sort=order:asc")))
          .isEqualTo("A-1 A-2 B-3 B-4");
      assertThat(send(SecuredUser.NOBODY, "/_search").status()).isEqualTo(403);
    } finally {
      cluster.setDoNotFailOnForbidden(false);
    }
    assertThat(send(SecuredUser.ORDERS_READER, "/_search").status()).isEqualTo(403);
  }

  @Test
  void letWritersWriteAndReadersNot() {
    String document = "{\"order\":\"C-5\",\"region\":\"west\"}";
    try (RestClient indexer = cluster.client(SecuredUser.INDEXER);
        RestClient reader = cluster.client(SecuredUser.ORDERS_READER)) {
      assertThat(reader.send("PUT", "/orders-new/_doc/5", document).status()).isEqualTo(403);
      assertThat(indexer.send("PUT", "/orders-new/_doc/5", document).status()).isEqualTo(201);
      assertThat(reader.send("GET", "/orders-new/_doc/5").orThrow().body()).contains("C-5");
      assertThat(indexer.send("GET", "/orders-new/_doc/5").status()).isEqualTo(403);
      assertThat(indexer.send("PUT", "/payrolls/_doc/2", document).status()).isEqualTo(403);
    } finally {
      cluster.nodes().rest().send("DELETE", "/orders-new").orThrow();
    }
  }

  @Test
  void letOnlyTheStreamWriterUseDataStreams() {
    String event = "{\"@timestamp\":\"2026-11-02T08:00:00Z\",\"event\":\"tested\"}";
    assertThat(send(SecuredUser.STREAM_WRITER, "/events-*/_count").body())
        .startsWith("{\"count\":2,");
    assertThat(send(SecuredUser.STREAM_WRITER, "/orders-2026-10/_search").status()).isEqualTo(403);
    assertThat(send(SecuredUser.ORDERS_READER, "/events-shop/_search").status()).isEqualTo(403);
    try (RestClient writer = cluster.client(SecuredUser.STREAM_WRITER);
        RestClient reader = cluster.client(SecuredUser.ORDERS_READER)) {
      assertThat(writer.send("PUT", "/_data_stream/events-test").status()).isEqualTo(200);
      RestReply written = writer.send("POST", "/events-test/_doc?refresh=true", event);
      assertThat(written.status()).isEqualTo(201);
      assertThat(written.body()).contains("\"_index\":\".ds-events-test-000001\"");
      assertThat(writer.send("GET", "/events-test/_search").body()).contains("tested");
      assertThat(writer.send("GET", "/.ds-events-test-000001/_search").body()).contains("tested");
      assertThat(reader.send("POST", "/events-test/_doc", event).status()).isEqualTo(403);
      assertThat(reader.send("GET", "/.ds-events-test-000001/_search").status()).isEqualTo(403);
    } finally {
      cluster.nodes().rest().send("DELETE", "/_data_stream/events-test").orThrow();
    }
  }

  @Test
  void keepSavedObjectsOfTenantsApart() {
    RestAccess analyst = credentials.password(SecuredUser.ANALYST);
    RestAccess shared = analyst.withHeader(TENANT, "analysts");
    String path = "/.kibana/_doc/dashboard:1";
    RestClient admin = cluster.nodes().rest();
    try (RestClient client = cluster.client(shared)) {
      RestReply written = client.send("PUT", path + "?refresh=true", "{\"title\":\"sales\"}");
      assertThat(written.status()).as(written.body()).isEqualTo(201);
      assertThat(written.body()).containsPattern("\"_index\":\"\\.kibana_-?\\d+_analysts");
      assertThat(send(shared, path).orThrow().body()).contains("sales");
      assertThat(send(shared, "/.kibana/_search").orThrow().body()).contains("sales");
      assertThat(send(analyst.withHeader(TENANT, "__user__"), path).status()).isEqualTo(404);
      RestAccess reader = credentials.password(SecuredUser.ORDERS_READER);
      assertThat(send(reader.withHeader(TENANT, "analysts"), path).status()).isEqualTo(403);
    } finally {
      admin
          .send("GET", "/_cat/indices/.kibana*?h=index&expand_wildcards=all")
          .orThrow()
          .body()
          .lines()
          .map(String::strip)
          .forEach(index -> admin.send("DELETE", "/" + index).orThrow());
    }
  }

  private String account(RestAccess access) {
    return send(access, "/_plugins/_security/authinfo").orThrow().body();
  }

  private RestReply search(SecuredUser user) {
    return send(user, ORDERS);
  }

  private RestReply send(SecuredUser user, String path) {
    return send(credentials.password(user), path);
  }

  private RestReply send(RestAccess access, String path) {
    try (RestClient client = cluster.client(access)) {
      return client.send("GET", path);
    }
  }

  /** The orders among the hits, in their order. */
  private static String found(RestReply reply) {
    return ORDER
        .matcher(reply.orThrow().body())
        .results()
        .map(order -> order.group(1))
        .collect(Collectors.joining(" "));
  }
}
