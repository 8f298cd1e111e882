package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.HttpExchange;
import dev.weir.model.NodeRequestRules;
import dev.weir.model.NodeRequestRules.Limits;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.testkit.fixtures.TestExchange;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeRulesFiltersTest {
  private static final NodeRequestRules TIGHT =
      new NodeRequestRules(true, true, true, true, true, new Limits(10, 40, 30, -1, -1, 1 << 30));
  private static final PassThrough FOR_NODE = new PassThrough("node-setting");

  private final List<HttpExchange> continued = new ArrayList<>();

  private boolean continues(TestExchange exchange, NodeRequestRules rules) {
    continued.clear();
    new NodeLimitFilter(() -> rules).filter(exchange, continued::add);
    assertThat(continued.isEmpty()).isEqualTo("node-setting".equals(exchange.passedThrough()));
    return !continued.isEmpty();
  }

  private static TestExchange get(String uri) {
    return TestExchange.of("GET", uri);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bulk", "mget", "msearch"})
  void passRequestsThatMayNameIndicesUntilANodeReportsItsSettings(String action) {
    Coordinate coordinated = new Coordinate(action);

    assertThat(
            new UnknownRulesFilter(() -> NodeRequestRules.UNKNOWN).filter("POST", "/", coordinated))
        .isEqualTo(FOR_NODE);
    assertThat(new UnknownRulesFilter(() -> TIGHT).filter("POST", "/", coordinated))
        .isEqualTo(coordinated);
  }

  @Test
  void coordinateOtherRequestsBeforeANodeReportsItsSettings() {
    Coordinate search = new Coordinate("search");

    assertThat(new UnknownRulesFilter(() -> NodeRequestRules.UNKNOWN).filter("GET", "/", search))
        .isEqualTo(search);
    assertThat(continues(get("/a/_search"), NodeRequestRules.UNKNOWN)).isTrue();
  }

  @Test
  void passRequestsOverANodesLimits() {
    assertThat(continues(get("/a/_search").body("0123456789"), TIGHT)).isTrue();
    assertThat(continues(get("/a/_search").body("0123456789+"), TIGHT)).isFalse();
    assertThat(continues(get("/a/_search?q=4567"), TIGHT)).isTrue();
    assertThat(continues(get("/a/_search?q=45678"), TIGHT)).isFalse();
    assertThat(continues(get("/").header("a", "x".repeat(35)), TIGHT)).isTrue();
    assertThat(continues(get("/").header("a", "x".repeat(36)), TIGHT)).isFalse();
  }

  @Test
  void passRequestsWhoseHeadersANodeAnswers() {
    assertThat(continues(get("/").header("Origin", "http://a"), TIGHT)).isFalse();
    assertThat(continues(get("/").header("cookie", "a=b"), TIGHT)).isFalse();
    assertThat(continues(get("/").header("origin", "http://a"), NodeRequestRules.DEFAULT)).isTrue();
    assertThat(continues(get("/").header("Cookie", "a=b"), NodeRequestRules.DEFAULT)).isTrue();
  }
}
