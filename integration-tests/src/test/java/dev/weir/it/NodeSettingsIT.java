package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The gateway follows each setting of the nodes that restricts requests. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodeSettingsIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final List<String> HEADERS =
      List.of("Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Set-Cookie");
  private static final String JSON = "Content-Type: application/json";

  private final DataNodeCluster nodes =
      DataNodeCluster.start(
          ClusterSpec.ofNodes(1)
              .withName("weir-strict")
              .mapNodes(node ->
                  node.withoutPlugins()
                      .withSetting("rest.action.multi.allow_explicit_index", "false")
                      .withSetting("http.detailed_errors.enabled", "false")
                      .withSetting("http.cors.enabled", "true")
                      .withSetting("http.cors.allow-origin", "http://known.example")
                      .withSetting("http.cors.allow-credentials", "true")
                      .withSetting("http.reset_cookies", "true")
                      .withSetting("http.max_content_length", "64kb")
                      .withSetting("http.max_header_size", "4kb")
                      .withSetting("http.max_initial_line_length", "1kb")
                      .withSetting("http.max_warning_header_count", "1")
                      .withSetting("script.allowed_types", "none")
                      .withSetting("search.max_buckets", "3")
                      .withSetting("indices.query.query_string.allowLeadingWildcard", "false")
                      .withSetting("action.auto_create_index", "-never*,+*")));
  private final TestBed bed = TestBed.inFrontOf(nodes.seeds());

  NodeSettingsIT() {
    nodes.rest().send("PUT", "/secret/_doc/1?refresh=true", "{\"a\":\"xyz\"}").orThrow();
    for (int id = 0; id < 5; id++) {
      nodes
          .rest()
          .send("PUT", "/allowed/_doc/" + id + "?refresh=true", "{\"a\":\"xyz\",\"n\":" + id + "}")
          .orThrow();
    }
  }

  @AfterAll
  void close() {
    bed.close();
    nodes.close();
  }

  /** One request, and the status that a node gives. */
  record Case(String title, int status, String text) {
    @Override
    public String toString() {
      return title;
    }
  }

  private static Case post(String title, int status, String uri, String body, String... headers) {
    String[] all = new String[headers.length + 1];
    all[0] = JSON;
    System.arraycopy(headers, 0, all, 1, headers.length);
    return new Case(title, status, RawHttpConnection.post(uri, body, all));
  }

  private static Case get(String title, int status, String uri, String... headers) {
    return new Case(title, status, RawHttpConnection.get(uri, headers));
  }

  static List<Case> cases() {
    return List.of(
        post(
            "explicit index in bulk",
            400,
            "/allowed/_bulk",
            "{\"index\":{\"_index\":\"secret\"}}\n{}\n"),
        post(
            "explicit index in multi get",
            400,
            "/allowed/_mget",
            "{\"docs\":[{\"_index\":\"secret\",\"_id\":\"1\"}]}"),
        post("index of the URI in multi get", 200, "/allowed/_mget", "{\"ids\":[\"1\"]}"),
        post(
            "explicit index in multi search",
            400,
            "/allowed/_msearch",
            "{\"index\":\"secret\"}\n{}\n"),
        post("error without details", 400, "/allowed/_search", "{\"query\":{\"none\":{}}}"),
        get("missing index without details", 404, "/missing/_search"),
        get("forbidden stack trace", 400, "/missing/_search?error_trace=true"),
        get("known origin", 200, "/allowed/_doc/1", "Origin: http://known.example"),
        get("unknown origin", 403, "/allowed/_doc/1", "Origin: http://unknown.example"),
        get("cookie", 200, "/allowed/_doc/1", "Cookie: a=b"),
        post("long body", 413, "/allowed/_search", "{" + " ".repeat(70_000) + "}"),
        get("long header", 400, "/allowed/_doc/1", "X-Long: " + "x".repeat(5000)),
        get("long request line", 400, "/allowed/_doc/1?routing=" + "1".repeat(1100)),
        post(
            "forbidden script of an update",
            400,
            "/allowed/_update/1",
            "{\"script\":\"ctx._source.a = 1\"}"),
        post(
            "too many buckets",
            503,
            "/allowed/_search",
            "{\"size\":0,\"aggs\":{\"n\":{\"terms\":{\"field\":\"n\"}}}}"),
        get("leading wildcard", 400, "/allowed/_search?q=*yz"),
        post("index that is not created", 404, "/never-1/_doc", "{}"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void answerAsANodeDoes(Case each) throws IOException {
    RawHttpConnection.Response expected = send(nodes.node(0).httpUri(), each);
    RawHttpConnection.Response response = send(bed.uri(), each);

    assertThat(expected.status()).as("of the node: %s", expected.text()).isEqualTo(each.status());
    assertThat(response.status()).as(response.text()).isEqualTo(each.status());
    assertThat(stable(response.text())).isEqualTo(stable(expected.text()));
    for (String header : HEADERS) {
      assertThat(response.header(header)).as(header).isEqualTo(expected.header(header));
    }
  }

  /** Without the stream transport nodes reject each search, but nothing else. */
  @Test
  void answerAsANodeDoesWhereNodesStreamSearches() throws IOException {
    assumeTrue(setStreamSearch("true").status() == 200, "nodes without stream.search.enabled");
    try {
      answerAsANodeDoes(get("search", 400, "/allowed/_search"));
      answerAsANodeDoes(get("search that is malformed", 400, "/allowed/_search?size=-1"));
      answerAsANodeDoes(get("count", 200, "/allowed/_count"));
      answerAsANodeDoes(post("multi search", 200, "/allowed/_msearch", "{}\n{}\n"));
    } finally {
      setStreamSearch("null").orThrow();
    }
    answerAsANodeDoes(get("search", 200, "/allowed/_search?filter_path=hits.total"));
  }

  private RestReply setStreamSearch(String value) {
    return bed.rest()
        .send(
            "PUT",
            "/_cluster/settings",
            "{\"persistent\":{\"stream.search.enabled\":" + value + "}}");
  }

  @Test
  void coordinateRequestsThatNoSettingRestricts() {
    bed.rest().send("POST", "/allowed/_mget", "{\"ids\":[\"1\"]}").orThrow();
    bed.rest().send("POST", "/allowed/_search", "{}").orThrow();

    assertThat(bed.admin().send("GET", "/metrics").orThrow().body())
        .contains("weir_requests_total{action=\"mget\",path=\"coordinated\"")
        .contains("weir_requests_total{action=\"search\",path=\"coordinated\"");
  }

  private static RawHttpConnection.Response send(URI to, Case each) throws IOException {
    try (RawHttpConnection connection =
        new RawHttpConnection(new InetSocketAddress(to.getHost(), to.getPort()), TIMEOUT)) {
      connection.sendQuietly(each.text());
      return connection.read();
    }
  }

  /** Leaves out the time that a search took. */
  private static String stable(String body) {
    return body.replaceAll("\"took\":\\d+", "");
  }
}
