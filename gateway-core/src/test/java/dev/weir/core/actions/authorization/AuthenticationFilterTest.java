package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.actions.authorization.SecurityCheckClient.CheckResponse;
import dev.weir.model.ClientIdentity;
import dev.weir.model.HttpExchange;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.testkit.fixtures.TestExchange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthenticationFilterTest {
  private static final String ADA =
      "{\"user_name\":\"ada\",\"user_requested_tenant\":null,\"remote_address\":\"127.0.0.1:1\","
          + "\"backend_roles\":[],\"custom_attribute_names\":[\"a\"],\"roles\":[\"reader\"]}";

  private final AuthorizationCounts counts = new AuthorizationCounts();
  private final List<SecurityCheckRequest> asked = new ArrayList<>();
  private final List<HttpExchange> continued = new ArrayList<>();
  private CheckResponse answer = new CheckResponse(200, ADA);
  private boolean active = true;

  private AuthenticationFilter filter(@Nullable SecurityRules rules) {
    ShortLivedCache<SecurityRules> cache = ShortLivedCache.create(1000, read -> 0, () -> 0, counts);
    if (rules != null) {
      cache.ask("rules", () -> CompletableFuture.completedFuture(rules));
    }
    return new AuthenticationFilter(
        () -> active,
        new SecurityRulesCache(
            cache,
            new SecurityRulesReader(
                new SecurityDocumentReader(new NoNodes(), (delay, loop, action) -> {}),
                () -> "",
                Runnable::run)),
        ShortLivedCache.create(100_000, user -> 0, () -> 0, counts),
        question -> {
          asked.add(question);
          return CompletableFuture.completedFuture(answer);
        },
        () -> "c",
        new CredentialReader(Set.of("x-number")));
  }

  private static SecurityRules rules(boolean safe, Set<String> attributeRoles) {
    return rules(safe, attributeRoles, Set.of("x-proxy-user"));
  }

  private static SecurityRules rules(
      boolean safe, Set<String> attributeRoles, Set<String> headers) {
    return new SecurityRules(
        safe,
        AuthorizationFilterFixture.USUAL_INDICES,
        Set.of(),
        Set.of(),
        new AttributeRules(attributeRoles, Map.of()),
        new SecurityRules.CredentialPlaces(Set.of("ticket"), headers));
  }

  private TestExchange send(AuthenticationFilter filter, TestExchange exchange) {
    filter.filter(exchange, continued::add);
    exchange.runEventLoop();
    return exchange;
  }

  private static TestExchange request() {
    return TestExchange.queued("GET", "/logs/_search").header("Authorization", "Basic YTpi");
  }

  @Test
  void attachTheUserThatANodeNames() {
    AuthenticationFilter filter = filter(rules(true, Set.of()));
    send(filter, request());
    send(filter, request());

    assertThat(continued).hasSize(2);
    ClientIdentity identity = Objects.requireNonNull(continued.getFirst().identity());
    assertThat(identity.transportHeaders()).containsKey("_opendistro_security_user_header");
    assertThat(identity.canSearch(List.of("logs"))).isFalse();
    assertThat(asked)
        .singleElement()
        .satisfies(question -> {
          assertThat(question.uri()).isEqualTo("/_plugins/_security/authinfo");
          assertThat(question.headers().toString()).contains("Basic YTpi");
        });
  }

  @Test
  void keepUsersApart() {
    AuthenticationFilter filter = filter(rules(true, Set.of()));
    send(filter, request());
    send(filter, TestExchange.queued("GET", "/logs/_search").header("Authorization", "Basic Yjpi"));
    send(filter, request().header("opendistro_security_impersonate_as", "ada"));

    assertThat(asked).hasSize(3);
    assertThat(continued.stream().map(HttpExchange::identity).distinct()).hasSize(3);
  }

  @Test
  void passThroughARejectedClient() {
    answer = new CheckResponse(401, "Unauthorized");
    AuthenticationFilter filter = filter(rules(true, Set.of()));

    assertThat(send(filter, request()).passedThrough()).isEqualTo("security-user");
    assertThat(send(filter, request()).passedThrough()).isEqualTo("security-user");
    assertThat(asked).hasSize(1);
    assertThat(continued).isEmpty();
  }

  @Test
  void passThroughWhereTheConfigurationCannotBeRead() {
    assertThat(send(filter(null), request()).passedThrough()).isEqualTo("security-check");
    assertThat(continued).isEmpty();
  }

  @Test
  void passThroughUnderUnsafeRules() {
    assertThat(send(filter(rules(false, Set.of())), request()).passedThrough())
        .isEqualTo("security-rules");
    TestExchange withTicket = TestExchange.queued("GET", "/logs/_search?ticket=x");
    assertThat(send(filter(rules(true, Set.of())), withTicket).passedThrough())
        .isEqualTo("security-rules");
  }

  @Test
  void passThroughAUserOnWhoseAttributesARoleDepends() {
    assertThat(send(filter(rules(true, Set.of("reader"))), request()).passedThrough())
        .isEqualTo("security-user");
  }

  @Test
  void passThroughARequestThatRemovesHeaders() {
    TestExchange exchange = request().header("Connection", "x-proxy-user");
    assertThat(send(filter(rules(true, Set.of())), exchange).passedThrough())
        .isEqualTo("security-user");
    assertThat(asked).isEmpty();
  }

  /** Each question would use up the token, and the client's request would fail with it. */
  @ParameterizedTest
  @ValueSource(strings = {"Negotiate YIIF", "negotiate YIIF", " NEGOTIATE YIIF", "Negotiate\tYIIF"})
  void passThroughAKerberosTokenBeforeAnyQuestion(String authorization) {
    TestExchange exchange =
        TestExchange.queued("GET", "/logs/_search").header("Authorization", authorization);
    assertThat(send(filter(rules(true, Set.of())), exchange).passedThrough())
        .isEqualTo("security-user");
    assertThat(asked).isEmpty();
    assertThat(continued).isEmpty();
  }

  @Test
  void continueWithoutAUserWhereTheGatewayAuthorizesNothing() {
    active = false;
    send(filter(rules(true, Set.of())), request());

    assertThat(continued).singleElement().isInstanceOf(TestExchange.class);
    assertThat(asked).isEmpty();
  }

  /** Nodes would take two users for one, whose header the gateway ignores. */
  @Test
  void passThroughWhereNodesReadAHeaderThatTheGatewayIgnores() {
    SecurityRules rules = rules(true, Set.of(), Set.of("x-number"));
    assertThat(send(filter(rules), request()).passedThrough()).isEqualTo("security-rules");
  }

  /** The filter continues in a task of its own, after a node has answered. */
  @Test
  void respondWhereALaterHandlerFails() {
    AuthenticationFilter filter = filter(rules(true, Set.of()));
    TestExchange exchange = request();
    filter.filter(
        exchange,
        all -> {
          throw new IllegalStateException("a \"defect\"");
        });
    exchange.runEventLoop();

    assertThat(exchange.reply().status()).isEqualTo(500);
    assertThat(exchange.text()).contains("a \\\"defect\\\"");
  }

  /** A cluster without a reachable node. */
  private static final class NoNodes implements NodeClients {
    @Override
    public @Nullable NodeClient byId(String nodeId) {
      return null;
    }

    @Override
    public Collection<? extends NodeClient> all() {
      return List.of();
    }
  }
}
