package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.DeadlineResolver;
import dev.weir.model.NodeRequestRules;
import dev.weir.model.NodeRequestRules.Limits;
import dev.weir.rest.warnings.WarningHeaderLimiter;
import dev.weir.testkit.fixtures.TestExchange;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The REST layer follows the static settings of the nodes. */
class NodeRequestRulesTest {
  private static final NodeRequestRules NO_EXPLICIT_INDEX =
      new NodeRequestRules(true, false, true, false, false, Limits.DEFAULT);
  private static final NodeRequestRules NO_DETAILS =
      new NodeRequestRules(true, true, false, false, false, Limits.DEFAULT);

  private final RestThreadContext threadContext =
      new RestThreadContext(RestDispatcherFixture.REGISTRIES.settings());
  private final RecordingExecutor executor = new RecordingExecutor();
  private NodeRequestRules rules = NodeRequestRules.DEFAULT;
  private boolean streamSearch;
  private final RestDispatcher dispatcher =
      new RestDispatcher(
          RestDispatcherFixture.REGISTRIES,
          threadContext,
          executor,
          new RestDispatcher.RestExtensions(
              null,
              SearchResponseFormats.NODE_FORMAT_ONLY,
              ExportHandler.NONE,
              () -> rules,
              () -> streamSearch),
          DeadlineResolver.NONE,
          () -> 1);

  @AfterEach
  void close() {
    threadContext.close();
  }

  private TestExchange send(String uri, String body) {
    TestExchange exchange =
        TestExchange.queued("POST", uri)
            .body("application/json", body.replace('|', '\n').getBytes(StandardCharsets.UTF_8));
    dispatcher.handle(exchange);
    exchange.runEventLoop();
    return exchange;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "/allowed/_bulk; {\"index\":{\"_index\":\"secret\"}}|{}|; explicit index in bulk is not"
            + " allowed",
        "/_bulk; {\"delete\":{\"_index\":\"secret\",\"_id\":\"1\"}}|; explicit index in bulk is not"
            + " allowed",
        "/allowed/_mget; {\"docs\":[{\"_index\":\"secret\",\"_id\":\"1\"}]};"
            + " explicit index in multi get is not allowed",
        "/allowed/_msearch; {\"index\":\"secret\"}|{}|; explicit index in multi search is not"
            + " allowed"
      })
  void rejectAnIndexInTheBodyWhereNodesForbidIt(String uri, String body, String error) {
    rules = NO_EXPLICIT_INDEX;

    TestExchange exchange = send(uri, body);

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text()).contains(error);
    assertThat(executor.calls()).isEmpty();

    rules = NodeRequestRules.DEFAULT; // the next request sees the nodes' new setting
    send(uri, body).disconnect();
    assertThat(executor.calls()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "/allowed/_bulk; {\"index\":{}}|{}|",
        "/allowed/_mget; {\"docs\":[{\"_id\":\"1\"}]}",
        "/allowed/_mget; {\"ids\":[\"1\"]}",
        "/allowed/_msearch; {}|{}|"
      })
  void acceptTheIndexOfTheUri(String uri, String body) {
    rules = NO_EXPLICIT_INDEX;

    send(uri, body).disconnect();

    assertThat(executor.calls()).hasSize(1);
  }

  @Test
  void leaveDetailsOutOfErrorsWhereNodesDo() {
    rules = NO_DETAILS;

    TestExchange exchange = send("/a/_search", "{\"unknown\":1}");

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text())
        .isEqualTo(
            "{\"error\":\"ParsingException[Unknown key for a VALUE_NUMBER in"
                + " [unknown].]\",\"status\":400}");

    TestExchange traced = send("/a/_search?error_trace=true", "{}");
    assertThat(traced.reply().status()).isEqualTo(400);
    assertThat(traced.text()).contains("error traces in responses are disabled");
  }

  /** A node rejects such a search, or streams it. */
  @Test
  void passSearchesThroughThatNodesStream() {
    streamSearch = true;

    assertThat(send("/a/_search", "{}").passedThrough()).isEqualTo(PassThroughReasons.NODE_SETTING);
    assertThat(executor.calls()).isEmpty();

    send("/a/_count", "{}").disconnect();
    send("/a/_msearch", "{}|{}|").disconnect();
    streamSearch = false; // the next request sees the nodes' new setting
    send("/a/_search", "{}").disconnect();
    assertThat(executor.calls()).hasSize(3);
  }

  @Test
  void dropWarningsThatExceedTheNodesLimits() {
    List<String> warnings = List.of("a".repeat(93), "b".repeat(93), "c");

    assertThat(limit(warnings, NodeRequestRules.UNLIMITED, NodeRequestRules.UNLIMITED))
        .isEqualTo(warnings);
    assertThat(limit(warnings, 2, NodeRequestRules.UNLIMITED)).isEqualTo(warnings.subList(0, 2));
    assertThat(limit(warnings, NodeRequestRules.UNLIMITED, 199)).isEqualTo(warnings.subList(0, 1));
    assertThat(limit(warnings, NodeRequestRules.UNLIMITED, 200)).isEqualTo(warnings.subList(0, 2));
    assertThat(limit(warnings, 0, 200)).isEmpty();
  }

  private static List<String> limit(List<String> warnings, int most, long bytes) {
    return WarningHeaderLimiter.limit(warnings, new Limits(1, 1, 1, most, bytes, 1));
  }
}
