package dev.weir.it.secured;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.secured.Credentials;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SecuredUser;
import dev.weir.testkit.secured.SharedSecuredCluster;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** With {@code authorization: gateway}, every user gets what a node gives, and nothing more. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Drawn(oneIn = 6)
class GatewayAuthorizationIT {
  private static final String SECURITY_API = "/_plugins/_security/api/";

  /** Sees some documents, by a rule without attributes. */
  private static final String NORTH_READER = "north-reader";

  /** Sees some documents, by a rule that looks up terms in another document. */
  private static final String LOOKUP_READER = "lookup-reader";

  private static final String PASSWORD = "harbour-58-maple-K";

  private static final List<String> TARGETS =
      List.of(
          "/orders-*",
          "/orders-2026-10",
          "/orders-2026-10,orders-2026-11",
          "/orders-latest",
          "/events-shop",
          "/events-*",
          "/payrolls",
          "/orders-2026-10,payrolls",
          "/*",
          "",
          "/missing",
          "/missing-*",
          "/orders-2026-10,missing",
          "/.opendistro_security",
          "/.ds-events-*",
          "/.kibana");

  private static final List<String> BODIES =
      List.of(
          // each copy numbers its documents by itself, and sequence numbers are those of all copies
          "{\"sort\":[{\"_index\":\"asc\"},{\"_seq_no\":\"asc\"}]}",
          "{\"size\":0,\"aggs\":{\"customers\":{\"terms\":{\"field\":\"customer\"}}}}",
          "{\"size\":0,\"aggs\":{\"indices\":{\"terms\":{\"field\":\"_index\"}}}}",
          "{\"query\":{\"terms\":{\"customer\":{\"index\":\"payrolls\",\"id\":\"1\","
              + "\"path\":\"customer\"}}},\"sort\":[{\"_index\":\"asc\"},{\"_seq_no\":\"asc\"}]}");

  private final SecuredCluster cluster = SharedSecuredCluster.get();
  private final Credentials credentials = cluster.credentials();
  private final AuthorizingGateway gateway = new AuthorizingGateway(cluster, "");

  @BeforeAll
  void addRestrictedUsers() {
    addReader(NORTH_READER, "{\"term\":{\"region\":\"north\"}}");
    addReader(
        LOOKUP_READER,
        "{\"terms\":{\"customer\":{\"index\":\"payrolls\",\"id\":\"1\",\"path\":\"customer\"}}}");
  }

  private void addReader(String name, String documents) {
    RestClient admin = cluster.nodes().rest();
    admin
        .send(
            "PUT",
            SECURITY_API + "roles/" + name,
            """
            {"cluster_permissions": ["cluster_composite_ops_ro"], "index_permissions": [
              {"index_patterns": ["orders-*"], "dls": "%s", "allowed_actions": ["read"]}]}
            """
                .formatted(documents.replace("\"", "\\\"")))
        .orThrow();
    admin
        .send(
            "PUT",
            SECURITY_API + "internalusers/" + name,
            "{\"password\": \"%s\", \"opendistro_security_roles\": [\"%s\"]}"
                .formatted(PASSWORD, name))
        .orThrow();
  }

  @AfterAll
  void close() {
    gateway.close();
    for (String name : List.of(NORTH_READER, LOOKUP_READER)) {
      cluster.nodes().rest().send("DELETE", SECURITY_API + "internalusers/" + name);
      cluster.nodes().rest().send("DELETE", SECURITY_API + "roles/" + name);
    }
  }

  @Test
  void answerSearchesOfEachUserLikeANode() {
    assertThat(differences(accounts())).isEmpty();
    assertThat(gateway.metric("weir_authorization_unnamed_calls_total")).isZero();
  }

  @Test
  void answerLikeANodeWhereForbiddenIndicesAreLeftOut() {
    cluster.setDoNotFailOnForbidden(true);
    try {
      Map<String, RestAccess> few = new LinkedHashMap<>();
      for (SecuredUser user :
          List.of(
              SecuredUser.ORDERS_READER,
              SecuredUser.ALIAS_READER,
              SecuredUser.FIELDS_READER,
              SecuredUser.MASKED_READER,
              SecuredUser.AUDITOR,
              SecuredUser.NOBODY,
              SecuredUser.ADMIN)) {
        few.put(user.username(), credentials.password(user));
      }
      few.put(NORTH_READER, credentials.password(NORTH_READER, PASSWORD));
      assertThat(differences(few)).isEmpty();
    } finally {
      cluster.setDoNotFailOnForbidden(false);
    }
  }

  @Test
  void coordinateWhatTheUserMaySearch() {
    for (SecuredUser user : List.of(SecuredUser.ORDERS_READER, SecuredUser.ADMIN)) {
      try (RestClient client = gateway.client(credentials.password(user))) {
        gateway.awaitAuthorized(
            3,
            () -> {
              client.send("GET", "/orders-*/_search").orThrow();
              client.send("GET", "/orders-2026-10/_count").orThrow();
              client.send("POST", "/orders-latest/_search", BODIES.get(1)).orThrow();
            });
      }
    }
    try (RestClient writer = gateway.client(credentials.password(SecuredUser.STREAM_WRITER))) {
      gateway.awaitAuthorized(1, () -> writer.send("GET", "/events-shop/_search").orThrow());
    }
  }

  @Test
  void coordinateForUsersWhoseRestrictionsDataNodesApply() {
    Map<String, RestAccess> users = new LinkedHashMap<>();
    users.put("fields", credentials.password(SecuredUser.FIELDS_READER));
    users.put("masked", credentials.password(SecuredUser.MASKED_READER));
    users.put("north", credentials.password(NORTH_READER, PASSWORD));
    users.put("attributes", credentials.password(SecuredUser.REGION_READER));
    users.put("everything", credentials.password(SecuredUser.AUDITOR));
    users.forEach((name, access) -> gateway.awaitAuthorized(2, () -> search(access)));
    long before = gateway.authorized();
    search(credentials.password(LOOKUP_READER, PASSWORD));
    assertThat(gateway.authorized() - before).isZero();
  }

  private void search(RestAccess access) {
    try (RestClient client = gateway.client(access)) {
      client.send("GET", "/orders-2026-*/_search").orThrow();
      client.send("POST", "/_msearch", "{\"index\":\"orders-2026-10\"}\n{}\n").orThrow();
    }
  }

  /** Shards keep responses without hits in a cache that does not know users. */
  @Test
  void shareNoCachedResponseBetweenUsers() {
    String search =
        "{\"size\":0,\"aggs\":{\"all\":{\"terms\":{\"field\":\"customer\"}}},"
            + "\"query\":{\"exists\":{\"field\":\"order\"}}}";
    String path = "/orders-2026-10,orders-2026-11/_search?request_cache=true";
    for (int round = 0; round < 3; round++) {
      for (RestAccess access :
          List.of(
              credentials.password(SecuredUser.ORDERS_READER),
              credentials.password(NORTH_READER, PASSWORD),
              credentials.password(SecuredUser.MASKED_READER),
              credentials.password(SecuredUser.FIELDS_READER))) {
        try (RestClient node = cluster.client(access);
            RestClient client = gateway.client(access)) {
          assertThat(plain(client.send("POST", path, search).orThrow().body()))
              .isEqualTo(plain(node.send("POST", path, search).orThrow().body()));
        }
      }
    }
  }

  @Test
  void bulkWithTheRightsOfTheUser() {
    String lines =
        """
        {"index": {"_index": "orders-bulk", "_id": "1"}}
        {"order": "D-1"}
        {"index": {"_index": "payrolls", "_id": "9"}}
        {"amount": 1}
        {"delete": {"_index": "orders-bulk", "_id": "2"}}
        {"update": {"_index": "orders-bulk", "_id": "3"}}
        {"doc": {"order": "D-3"}, "doc_as_upsert": true}
        """;
    try {
      for (SecuredUser user :
          List.of(
              SecuredUser.INDEXER,
              SecuredUser.ADMIN,
              SecuredUser.ORDERS_READER,
              SecuredUser.STREAM_WRITER,
              SecuredUser.NOBODY)) {
        cluster.nodes().rest().send("DELETE", "/orders-bulk,payrolls-bulk?ignore_unavailable=true");
        RestReply atNode;
        RestReply atGateway;
        try (RestClient node = cluster.client(user);
            RestClient client = gateway.client(credentials.password(user))) {
          atNode = bulk(node, lines);
          cluster.nodes().rest().send("DELETE", "/orders-bulk?ignore_unavailable=true");
          cluster.nodes().rest().send("DELETE", "/payrolls/_doc/9");
          atGateway = bulk(client, lines);
        }
        assertThat(atGateway.status()).as(user.username()).isEqualTo(atNode.status());
        assertThat(plain(atGateway.body())).as(user.username()).isEqualTo(plain(atNode.body()));
        cluster.nodes().rest().send("DELETE", "/payrolls/_doc/9");
      }
      assertThat(gateway.metric("weir_authorization_unnamed_calls_total")).isZero();
    } finally {
      cluster.nodes().rest().send("DELETE", "/orders-bulk?ignore_unavailable=true").orThrow();
      cluster.nodes().rest().send("DELETE", "/payrolls/_doc/9?refresh=true");
    }
  }

  @Test
  void readDocumentsWithTheRightsOfTheUser() {
    List<String> differences = new ArrayList<>();
    long before = gateway.authorized();
    accounts()
        .forEach((name, access) -> {
          try (RestClient node = cluster.client(access);
              RestClient client = gateway.client(access)) {
            for (String path :
                List.of(
                    "/orders-2026-10/_doc/1",
                    "/orders-2026-10/_doc/2",
                    "/orders-2026-10/_doc/unknown",
                    "/orders-2026-10/_source/1",
                    "/orders-2026-10/_doc/1?_source=amount,customer&realtime=false",
                    "/orders-latest/_doc/3",
                    "/payrolls/_doc/1",
                    "/missing/_doc/1",
                    "/orders-*/_doc/1",
                    "/.opendistro_security/_doc/roles")) {
              compare(name, path, node.send("GET", path), client.send("GET", path), differences);
              compare(name, path, node.send("HEAD", path), client.send("HEAD", path), differences);
            }
          }
        });
    assertThat(differences).isEmpty();
    assertThat(gateway.authorized() - before).isGreaterThan(20);
    assertThat(gateway.metric("weir_authorization_unnamed_calls_total")).isZero();
  }

  @Test
  void writeDocumentsWithTheRightsOfTheUser() {
    List<String> differences = new ArrayList<>();
    long before = gateway.authorized();
    try {
      accounts()
          .forEach((name, access) -> {
            try (RestClient node = cluster.client(access);
                RestClient client = gateway.client(access)) {
              for (String index : List.of("orders-documents", "payrolls", "other-documents")) {
                List<RestReply> expected = writeDocuments(node, index);
                List<RestReply> actual = writeDocuments(client, index);
                for (int i = 0; i < expected.size(); i++) {
                  compare(
                      name, expected.get(i).request(), expected.get(i), actual.get(i), differences);
                }
              }
            }
          });
    } finally {
      cluster
          .nodes()
          .rest()
          .send("DELETE", "/orders-documents,other-documents?ignore_unavailable=true");
    }
    assertThat(differences).isEmpty();
    assertThat(gateway.authorized() - before).isGreaterThan(10);
    assertThat(gateway.metric("weir_authorization_unnamed_calls_total")).isZero();
  }

  private List<RestReply> writeDocuments(RestClient client, String index) {
    RestClient admin = cluster.nodes().rest();
    admin.send("DELETE", "/orders-documents,other-documents?ignore_unavailable=true").orThrow();
    String document = "{\"order\":\"E-1\"}";
    return List.of(
        client.send("PUT", "/" + index + "/_doc/e1", document),
        client.send("PUT", "/" + index + "/_create/e1", document),
        client.send("POST", "/" + index + "/_update/e1", "{\"doc\":{\"order\":\"E-2\"}}"),
        client.send("DELETE", "/" + index + "/_doc/e1"),
        client.send("DELETE", "/" + index + "/_doc/e1"));
  }

  /**
   * The gateway repeats an append as a create with the id that it generated, and takes a conflict
   * for its own document: a node has to accept the former, and to answer the latter.
   */
  @Test
  void appendToADataStreamWithTheRightsOfTheUser() {
    String line = "{\"%s\": {\"_index\": \"events-shop\"%s}}\n";
    String document = "{\"@timestamp\": \"2026-11-02T10:00:00Z\", \"event\": \"append\"}\n";
    String append = line.formatted("create", "") + document;
    try (RestClient node = cluster.client(SecuredUser.STREAM_WRITER);
        RestClient client = gateway.client(credentials.password(SecuredUser.STREAM_WRITER))) {
      AtomicReference<String> created = new AtomicReference<>("");
      gateway.awaitAuthorized(1, () -> created.set(bulk(client, append + append).orThrow().body()));
      assertThat(created.get()).contains("\"errors\":false").doesNotContain("\"status\":400");

      Matcher id = Pattern.compile("\"_id\":\"([^\"]+)\"").matcher(created.get());
      assertThat(id.find()).isTrue();
      String again = ", \"_id\": \"" + id.group(1) + "\"";
      assertThat(bulk(node, line.formatted("create", again) + document).body())
          .contains("version_conflict_engine_exception", "\"status\":409");
      assertThat(bulk(node, line.formatted("index", again) + document).body())
          .contains("only write ops with an op_type of create are allowed in data streams");
    } finally {
      cluster
          .nodes()
          .rest()
          .send(
              "POST",
              "/events-shop/_delete_by_query?refresh=true&conflicts=proceed",
              "{\"query\": {\"match\": {\"event\": \"append\"}}}")
          .orThrow();
    }
  }

  private static RestReply bulk(RestClient client, String lines) {
    return client.bulk("/_bulk?refresh=true", lines.getBytes(StandardCharsets.UTF_8));
  }

  private List<String> differences(Map<String, RestAccess> accounts) {
    List<String> differences = new ArrayList<>();
    accounts.forEach((name, access) -> {
      try (RestClient node = cluster.client(access);
          RestClient client = gateway.client(access)) {
        for (String target : TARGETS) {
          for (String body : BODIES) {
            compare(
                name,
                target + "/_search " + body,
                node.send("POST", target + "/_search", body),
                client.send("POST", target + "/_search", body),
                differences);
          }
          for (String count : List.of("/_count", "/_count?perform_permission_check=true")) {
            compare(
                name,
                target + count,
                node.send("GET", target + count),
                client.send("GET", target + count),
                differences);
          }
        }
      }
    });
    return differences;
  }

  private static void compare(
      String user, String request, RestReply node, RestReply gateway, List<String> differences) {
    if (node.status() != gateway.status() || !plain(node.body()).equals(plain(gateway.body()))) {
      differences.add(
          user
              + " "
              + request
              + "\n  node    "
              + node.status()
              + " "
              + plain(node.body())
              + "\n  gateway "
              + gateway.status()
              + " "
              + plain(gateway.body()));
    }
  }

  /** A body without what differs from run to run. */
  private static String plain(String body) {
    return body.replaceAll(
            "\"(took|_seq_no|_primary_term|_version|successful)\": ?\\d+", "\"$1\":0")
        .replaceAll("(current version \\[)\\d+", "$1")
        .replaceAll("(\"index_uuid\":\")[^\"]*", "$1");
  }

  private Map<String, RestAccess> accounts() {
    Map<String, RestAccess> accounts = new LinkedHashMap<>();
    for (SecuredUser user : SecuredUser.values()) {
      accounts.put(user.username(), credentials.password(user));
    }
    accounts.put(NORTH_READER, credentials.password(NORTH_READER, PASSWORD));
    accounts.put(LOOKUP_READER, credentials.password(LOOKUP_READER, PASSWORD));
    accounts.put("no credentials", credentials.none());
    accounts.put("wrong password", credentials.password("orders-reader", "wrong"));
    accounts.put("token", credentials.token("visitor", "token-orders"));
    accounts.put(
        "impersonated",
        credentials
            .password(SecuredUser.IMPERSONATOR)
            .withHeader("opendistro_security_impersonate_as", "orders-reader"));
    accounts.put(
        "tenant",
        credentials.password(SecuredUser.ANALYST).withHeader("securitytenant", "analysts"));
    return accounts;
  }
}
