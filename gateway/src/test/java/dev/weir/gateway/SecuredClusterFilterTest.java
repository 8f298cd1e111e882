package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.authorization.AuthorizationMode;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RequestRouter.RespondLocally;
import dev.weir.rest.bulk.BulkStreamingOptions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecuredClusterFilterTest {
  private AuthorizationMode mode = AuthorizationMode.NONE;

  private Decision routed(Decision way) {
    return routed("/", way);
  }

  private Decision routed(String uri, Decision way) {
    return new SecuredClusterFilter(() -> mode).filter("GET", uri, way);
  }

  @Test
  void coordinateOnAnUnsecuredCluster() {
    assertThat(routed(new Coordinate("search"))).isEqualTo(new Coordinate("search"));
    assertThat(routed(new RespondLocally("nodes_info")))
        .isEqualTo(new RespondLocally("nodes_info"));
  }

  @Test
  void passEverythingThroughToASecuredCluster() {
    mode = AuthorizationMode.DELEGATE;

    assertThat(routed(new Coordinate("search")))
        .isEqualTo(PassThrough.delegated("security", "search"));
    assertThat(routed(new RespondLocally("nodes_info"))).isEqualTo(new PassThrough("security"));
    assertThat(routed(new PassThrough("other"))).isEqualTo(new PassThrough("other"));
  }

  @Test
  void coordinateOnlyWhatTheGatewayCanAuthorize() {
    mode = AuthorizationMode.GATEWAY;

    assertThat(routed(new Coordinate("search"))).isEqualTo(new Coordinate("search"));
    assertThat(routed(new Coordinate("msearch"))).isEqualTo(new Coordinate("msearch"));
    assertThat(routed(new Coordinate("count"))).isEqualTo(new Coordinate("count"));
    assertThat(routed(new Coordinate("get"))).isEqualTo(new Coordinate("get"));
    assertThat(routed(new Coordinate("scroll"))).isEqualTo(new Coordinate("scroll"));
    assertThat(routed(new Coordinate("clear_scroll"))).isEqualTo(new Coordinate("clear_scroll"));
    for (String action : List.of("update", "mget", "export")) {
      assertThat(routed(new Coordinate(action)))
          .isEqualTo(PassThrough.delegated("security", action));
    }
    assertThat(routed(new RespondLocally("nodes_info"))).isEqualTo(new PassThrough("security"));
    assertThat(routed(new PassThrough("other"))).isEqualTo(new PassThrough("other"));
  }

  /** Only the security plugin reads these parameters. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/logs/_search?perform_permission_check=true",
        "/logs/_search?perform_permission_check",
        "/logs/_search?size=0;perform_permission_check=true",
        "/logs/_search?perform%5Fpermission_check=true",
        "/logs/_search?size=0&auth_type=anonymous",
        "/logs/_search?%61uth_type=anonymous"
      })
  void passThroughWhatTheSecurityPluginReads(String uri) {
    mode = AuthorizationMode.GATEWAY;
    for (String action : List.of("search", "msearch", "count", "bulk", "index")) {
      assertThat(routed(uri, new Coordinate(action)))
          .isEqualTo(PassThrough.delegated("security-action", action));
    }
    assertThat(routed(uri, new Coordinate("update")))
        .isEqualTo(PassThrough.delegated("security", "update"));

    mode = AuthorizationMode.NONE;
    assertThat(routed(uri, new Coordinate("search"))).isEqualTo(new Coordinate("search"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/auth_type/_search",
        "/logs/_search?q=auth_type",
        "/logs/_search?q=a%20b",
        "/logs/_search?my_auth_type=a"
      })
  void coordinateWhereOnlyAPathOrAValueLooksAlike(String uri) {
    mode = AuthorizationMode.GATEWAY;
    assertThat(routed(uri, new Coordinate("search"))).isEqualTo(new Coordinate("search"));
  }

  /** A request keeps its limits whether its headers or its body show that a node must check it. */
  @ParameterizedTest
  @EnumSource(
      value = AuthorizationMode.class,
      names = {"DELEGATE", "GATEWAY"})
  void leaveTheDelegationOfARequestThatTheBodyShowed(AuthorizationMode secured) {
    mode = secured;
    PassThrough delegated = PassThrough.delegated("security-user", "search");

    assertThat(new SecuredClusterFilter(() -> mode).filterAfterBody("POST", "/_search", delegated))
        .isSameAs(delegated);
    assertThat(routed(new Coordinate("update")))
        .isEqualTo(PassThrough.delegated("security", "update"));
  }

  /** Sections of a bulk that are still arriving would be authorized one by one. */
  @Test
  void waitForTheWholeBulkBeforeItIsAuthorized() {
    mode = AuthorizationMode.GATEWAY;
    Decision streaming =
        new Coordinate("bulk", new BulkStreamingOptions(1 << 20, 1 << 20, 1 << 20));

    assertThat(routed(streaming)).isEqualTo(new Coordinate("bulk"));
  }
}
