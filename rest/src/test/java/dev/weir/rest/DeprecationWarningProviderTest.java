package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rest.RecordingExecutor.Call;
import dev.weir.testkit.fixtures.TestExchange;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.opensearch.action.search.ClearScrollResponse;
import org.opensearch.common.logging.DeprecationLogger;
import org.opensearch.common.logging.HeaderWarning;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;

/** Warnings are added to the response of the request that caused them, and to no other. */
class DeprecationWarningProviderTest {
  private static final DeprecationLogger DEPRECATIONS =
      DeprecationLogger.getLogger("org.opensearch.weir.Test");

  @RegisterExtension final RestDispatcherFixture open = new RestDispatcherFixture();

  /** A deprecation is reported once for each X-Opaque-Id, so each test needs its own. */
  private final String opaqueId = UUID.randomUUID().toString();

  private TestExchange request() {
    return TestExchange.queued("DELETE", "/_search/scroll/a").header("X-Opaque-Id", opaqueId);
  }

  private Call begin(TestExchange exchange) {
    open.again().send(exchange);
    return open.executor().only();
  }

  private static List<String> warnings(TestExchange exchange) {
    return exchange.replyHeader("Warning");
  }

  @Test
  void addDeprecationWarningsOfParsing() {
    TestExchange exchange =
        open.send(
            TestExchange.queued("GET", "/_search")
                .header("X-Opaque-Id", opaqueId)
                .json("{\"indices_boost\":{\"a\":1},\"from\":-1}"));

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(warnings(exchange))
        .containsExactly(
            HeaderWarning.formatWarning(
                "Object format in indices_boost is deprecated, please use array format instead"));
  }

  @Test
  void warnsOnceOfTheSame() {
    for (int i = 0; i < 2; i++) {
      open.executor().before(() -> DEPRECATIONS.deprecate("once", "once [{}]", 1));
      TestExchange exchange = request();
      begin(exchange).answer(new ClearScrollResponse(true, 1));

      assertThat(warnings(exchange)).hasSize(1 - i);
    }
  }

  @Test
  void formatsPatternAndArgumentsAsANodeDoes() {
    open.executor()
        .before(() ->
            DEPRECATIONS.deprecate(
                "format", "a {} \\{} \"q\" {} {}", List.of("x"), new String[] {"y"}, null));
    TestExchange exchange = request();
    begin(exchange).answer(new ClearScrollResponse(true, 1));

    assertThat(warnings(exchange))
        .containsExactly(HeaderWarning.formatWarning("a [x] {} \"q\" [y] null"));
  }

  @Test
  void addWarningsAfterANodesReply() {
    TestExchange first = request();
    TestExchange second = TestExchange.queued("DELETE", "/_search/scroll/b");
    Call one = begin(first);
    Call other = begin(second);

    one.context().run(() -> DEPRECATIONS.deprecate("later", "later"));
    other.answer(new ClearScrollResponse(true, 1));
    one.answer(new ClearScrollResponse(true, 1));

    assertThat(warnings(first)).containsExactly(HeaderWarning.formatWarning("later"));
    assertThat(warnings(second)).isEmpty();
  }

  @Test
  void passesNodesWarningsOnOnce() {
    open.executor().before(() -> DEPRECATIONS.deprecate("both", "both"));
    TestExchange exchange = request();
    Call call = begin(exchange);
    String both = HeaderWarning.formatWarning("both");
    String node = HeaderWarning.formatWarning("node");

    call.context().response().addHeaders(Map.of("Warning", Set.of(both)));
    call.context().response().addHeaders(Map.of("Warning", Set.of(node)));
    call.context().response().addHeaders(Map.of("Warning", Set.of(node)));
    call.answer(new ClearScrollResponse(true, 1));

    assertThat(warnings(exchange)).containsExactly(both, node);
  }

  @Test
  void hideWarningsMeantForCoordinatingNodes() {
    TestExchange exchange = request();
    Call call = begin(exchange);

    call.context()
        .response()
        .addHeaders(
            Map.of(
                "TASK_RESOURCE_USAGE", Set.of("x"),
                "_opendistro_security_dls_query", Set.of("y"),
                "X-Of-A-Plugin", Set.of("z")));
    call.answer(new ClearScrollResponse(true, 1));

    assertThat(exchange.reply().headers())
        .extracting(Map.Entry::getKey)
        .contains("X-Of-A-Plugin")
        .doesNotContain("TASK_RESOURCE_USAGE", "_opendistro_security_dls_query");
  }

  /** The rejection of one item does not say when to retry the whole bulk. */
  @Test
  void saysWhenToComeAgainOnlyToWhomIsRefused() {
    TestExchange refused = request();
    Call one = begin(refused);
    one.context().response().addHeaders(Map.of("Retry-After", Set.of("2")));
    one.fail(new OpenSearchRejectedExecutionException("full"));
    TestExchange answered = request();
    Call other = begin(answered);
    other.context().response().addHeaders(Map.of("Retry-After", Set.of("2")));
    other.answer(new ClearScrollResponse(true, 1));

    assertThat(refused.reply().status()).isEqualTo(429);
    assertThat(refused.replyHeader("Retry-After")).containsExactly("2");
    assertThat(answered.reply().status()).isEqualTo(200);
    assertThat(answered.replyHeader("Retry-After")).isEmpty();
  }

  @Test
  void addNoWarningOutsideARequest() {
    DEPRECATIONS.deprecate("outside-" + opaqueId, "outside");
    TestExchange exchange = request();
    begin(exchange).answer(new ClearScrollResponse(true, 1));

    assertThat(warnings(exchange)).isEmpty();
  }
}
