package dev.weir.it.secured;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.faults.Await;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.secured.Credentials;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SecuredUser;
import dev.weir.testkit.secured.SharedSecuredCluster;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Searches of a secured cluster that depend on more than the rights to an index. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Drawn(oneIn = 4)
class AuthorizedSearchesIT {
  private static final String SECURITY_API = "/_plugins/_security/api/";
  private static final String PASSWORD = "harbour-58-maple-K";

  private final SecuredCluster cluster = SharedSecuredCluster.get();
  private final Credentials credentials = cluster.credentials();
  private final AuthorizingGateway gateway = new AuthorizingGateway(cluster, "");

  @AfterAll
  void close() {
    gateway.close();
  }

  /** The value of an attribute decides which documents a user sees. */
  @Test
  void followAChangedAttributeOfAUser() {
    RestClient admin = cluster.nodes().rest();
    admin
        .send(
            "PUT",
            SECURITY_API + "roles/attribute-reader",
            """
            {"cluster_permissions": ["cluster_composite_ops_ro"], "index_permissions": [
              {"index_patterns": ["orders-*"], "allowed_actions": ["read"],
               "dls": "{\\"term\\": {\\"region\\": \\"${attr.internal.region}\\"}}"}]}
            """)
        .orThrow();
    try {
      for (String region : List.of("north", "south", "nowhere")) {
        admin
            .send(
                "PUT",
                SECURITY_API + "internalusers/attribute-reader",
                """
                {"password": "%s", "opendistro_security_roles": ["attribute-reader"],
                 "attributes": {"region": "%s"}}
                """
                    .formatted(PASSWORD, region))
            .orThrow();
        String query = "{\"query\":{\"term\":{\"region\":\"" + region + "\"}}}";
        String search = "/orders-2026-*/_search?size=0&filter_path=hits.total";
        String expected = admin.send("POST", search, query).orThrow().body();
        try (RestClient client =
            gateway.client(credentials.password("attribute-reader", PASSWORD))) {
          Await.untilValue(
              expected, () -> client.send("GET", search).body(), body -> body.equals(expected));
          gateway.awaitAuthorized(
              1, () -> assertThat(client.send("GET", search).orThrow().body()).isEqualTo(expected));
        }
      }
    } finally {
      admin.send("DELETE", SECURITY_API + "internalusers/attribute-reader");
      admin.send("DELETE", SECURITY_API + "roles/attribute-reader");
    }
  }

  @Test
  void refuseOneOfSeveralSearchesInANodesWords() {
    String searches =
        "{\"index\":\"orders-2026-10\"}\n{\"sort\":[\"_doc\"]}\n"
            + "{\"index\":[\"orders-2026-10\",\"payrolls\"]}\n{}\n"
            + "{\"index\":\"orders-none\"}\n{}\n"
            + "{\"index\":\".opendistro_security\"}\n{}\n";
    RestAccess reader = credentials.password(SecuredUser.ORDERS_READER);
    try (RestClient node = cluster.client(reader);
        RestClient client = gateway.client(reader)) {
      gateway.awaitAuthorized(
          1,
          () -> {
            String actual = client.send("POST", "/_msearch", searches).orThrow().body();
            assertThat(withoutTook(actual))
                .isEqualTo(withoutTook(node.send("POST", "/_msearch", searches).orThrow().body()))
                .contains("no permissions for [indices:data/read/search]");
          });
    }
  }

  @Test
  void refuseAnotherUsersScrollLikeANode() {
    RestAccess owner = credentials.password(SecuredUser.ORDERS_READER);
    RestAccess other = credentials.password(SecuredUser.ADMIN);
    try (RestClient client = gateway.client(owner);
        RestClient stranger = gateway.client(other)) {
      gateway.awaitAuthorized(4, () -> refuseScroll(client, stranger));
    }
  }

  private static void refuseScroll(RestClient owner, RestClient stranger) {
    String opened =
        owner.send("POST", "/orders-2026-10/_search?scroll=1m", "{\"size\":1}").orThrow().body();
    String id = opened.replaceFirst("(?s).*\"_scroll_id\":\"([^\"]+)\".*", "$1");
    String page = "{\"scroll\":\"1m\",\"scroll_id\":\"" + id + "\"}";
    assertThat(owner.send("POST", "/_search/scroll", page).status()).isEqualTo(200);
    RestReply refused = stranger.send("POST", "/_search/scroll", page);
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.body()).contains("Wrong user in reader context");
    String end = "{\"scroll_id\":[\"" + id + "\"]}";
    assertThat(owner.send("DELETE", "/_search/scroll", end).status())
        .isEqualTo(404); // a node has closed it with the refusal
  }

  private static String withoutTook(String body) {
    return body.replaceAll("\"took\":\\d+", "\"took\":0");
  }
}
