package dev.weir.it.secured;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SecuredUser;
import dev.weir.testkit.secured.SharedSecuredCluster;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Nodes leave forbidden indices out of a search, with {@code do_not_fail_on_forbidden}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Drawn(oneIn = 4)
class ForbiddenIndicesIT {
  private static final List<SecuredUser> USERS =
      List.of(SecuredUser.ORDERS_READER, SecuredUser.ALIAS_READER, SecuredUser.ADMIN);
  private static final List<String> HIDDEN = List.of("/orders-hidden", "/x-hidden");
  private static final List<String> TARGETS =
      List.of("orders-*", "*orders*", "pay*,orders-h*", "x-*,orders-h*", "orders-hidden");
  private static final List<String> STATES =
      List.of("none", "open", "closed", "hidden", "open,hidden");

  private final SecuredCluster cluster = SharedSecuredCluster.get();
  private final RestClient admin = cluster.nodes().rest();

  @BeforeAll
  void leaveForbiddenIndicesOut() {
    for (String index : HIDDEN) {
      admin.send("PUT", index, "{\"settings\":{\"index.hidden\":true}}").orThrow();
    }
    cluster.nodes().awaitGreen();
    cluster.setDoNotFailOnForbidden(true);
  }

  @AfterAll
  void failOnForbiddenIndices() {
    cluster.setDoNotFailOnForbidden(false);
    HIDDEN.forEach(index -> admin.send("DELETE", index).orThrow());
  }

  /** Nodes search every permitted match, whatever the request says about hidden ones. */
  @Test
  void searchTheIndicesThatANodeSearches() {
    try (AuthorizingGateway gateway = new AuthorizingGateway(cluster, "")) {
      for (SecuredUser user : USERS) {
        RestAccess access = cluster.credentials().password(user);
        try (RestClient node = cluster.client(access);
            RestClient client = gateway.client(access)) {
          for (String target : TARGETS) {
            for (String states : STATES) {
              String search =
                  "/%s/_search?filter_path=_shards,hits.total&expand_wildcards=%s"
                      .formatted(target, states);
              RestReply expected = node.send("GET", search);
              RestReply actual = client.send("GET", search);
              assertThat(actual.status()).as(user + search).isEqualTo(expected.status());
              assertThat(actual.body()).as(user + search).isEqualTo(expected.body());
            }
          }
        }
      }
      assertThat(gateway.authorized()).isPositive();
    }
  }
}
