package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** Deeply nested bodies get a node's response, and log nothing. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NestedRequestIT {
  private static final String INDEX = "nested-request";
  private static final String MATCH_ALL = "{\"match_all\":{}}";

  private final DataNodeCluster nodes = SharedCluster.get();
  private final TestBed bed = TestBed.inFrontOf(nodes.seeds());
  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  NestedRequestIT() {
    nodes
        .rest()
        .send(
            "PUT", "/" + INDEX, "{\"settings\":{\"number_of_shards\":1,\"number_of_replicas\":0}}")
        .orThrow();
    nodes.rest().send("PUT", "/" + INDEX + "/_doc/1?refresh=true", "{\"f\":\"x\"}").orThrow();
    log.start();
    root.addAppender(log);
  }

  @AfterAll
  void close() {
    root.detachAppender(log);
    nodes.rest().send("DELETE", "/" + INDEX);
    bed.close();
  }

  record Case(String title, int status, String uri, String body) {
    @Override
    public String toString() {
      return title;
    }
  }

  private static String nest(String open, String inner, String close, int levels) {
    return open.repeat(levels) + inner + close.repeat(levels);
  }

  private static String bool(int levels) {
    return "{\"query\":" + nest("{\"bool\":{\"must\":[", MATCH_ALL, "]}}", levels) + "}";
  }

  private static String aggregations(int levels) {
    return "{\"size\":0,"
        + nest(
            "\"aggs\":{\"a\":{\"terms\":{\"field\":\"f.keyword\"},",
            "\"aggs\":{\"c\":{\"value_count\":{\"field\":\"f.keyword\"}}}",
            "}}",
            levels)
        + "}";
  }

  private static Case post(String title, int status, String uri, String body) {
    return new Case(title, status, uri.replace("INDEX", INDEX), body.replace("INDEX", INDEX));
  }

  /** Well below what overflows a node's stack: a node that has just started needs deeper frames. */
  static List<Case> cases() {
    String constant = nest("{\"constant_score\":{\"filter\":", MATCH_ALL, "}}", 200);
    String header = "{\"index\":\"INDEX\"}\n";
    return List.of(
        post("100 bool", 200, "/INDEX/_search", bool(100)),
        post("150 bool", 200, "/INDEX/_search", bool(150)),
        post("150 bool in a multi search", 200, "/_msearch", header + bool(150) + "\n"),
        post("200 filters", 200, "/INDEX/_search", "{\"query\":" + constant + "}"),
        post("100 aggregations", 200, "/INDEX/_search", aggregations(100)),
        post("600 aggregations", 500, "/INDEX/_search", aggregations(600)),
        post("unknown part", 400, "/INDEX/_search", "{\"x\":" + nest("[", "", "]", 2000) + "}"),
        post(
            "parameters of an update",
            400,
            "/INDEX/_update/1",
            "{\"script\":{\"source\":\"1\",\"params\":{\"a\":" + nest("[", "", "]", 1100) + "}}}"),
        post(
            "source of an item of a multi get",
            500,
            "/_mget",
            "{\"docs\":[{\"_index\":\"INDEX\",\"_id\":\"1\",\"_source\":"
                + nest("[", "", "]", 1100)
                + "}]}"),
        post(
            "update in a bulk",
            400,
            "/_bulk",
            "{\"update\":{\"_index\":\"INDEX\",\"_id\":\"1\"}}\n{\"doc\":"
                + nest("{\"a\":", "1", "}", 1100)
                + "}\n"));
  }

  /** A node gives 400, or closes the connection: the depth is at the limit of its stack, too. */
  static List<Case> tooDeepCases() {
    return List.of(
        post("400 bool", 400, "/INDEX/_search", bool(400)),
        post("400 bool in a count", 400, "/INDEX/_count", bool(400)),
        post(
            "400 bool in a multi search",
            400,
            "/_msearch",
            "{\"index\":\"INDEX\"}\n" + bool(400) + "\n"));
  }

  @ParameterizedTest
  @MethodSource("tooDeepCases")
  void rejectWhatIsTooDeepForAnyNode(Case each) {
    log.list.clear();
    RestReply response = bed.rest().send("POST", each.uri(), each.body());

    assertThat(response.status()).as(response.body()).isEqualTo(each.status());
    assertNothingLogged();
    bed.assertNothingHeld();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void answerAsANodeDoesAndLogNothing(Case each) {
    log.list.clear();
    RestReply expected = nodes.rest().send("POST", each.uri(), each.body());
    RestReply response = bed.rest().send("POST", each.uri(), each.body());

    assertThat(expected.status()).as("of the node: %s", expected.body()).isEqualTo(each.status());
    assertThat(response.status()).as(response.body()).isEqualTo(each.status());
    assertThat(stable(response)).isEqualTo(stable(expected));
    assertNothingLogged();
    bed.assertNothingHeld();
  }

  /** The logging configuration shortens and bounds the lines of OpenSearch's REST layer. */
  private void assertNothingLogged() {
    assertThat(log.list)
        .filteredOn(line -> !line.getLoggerName().equals("rest.suppressed"))
        .as("log lines")
        .noneMatch(line -> line.getLevel().isGreaterOrEqual(Level.INFO));
  }

  /** Leaves out the time that a search took. */
  private static String stable(RestReply reply) {
    return reply.body().replaceAll("\"took\":\\d+", "");
  }
}
