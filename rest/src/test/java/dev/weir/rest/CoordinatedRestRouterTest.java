package dev.weir.rest;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.RequestRouter;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CoordinatedRestRouterTest {
  /** The action names of requests that a node's handlers serve. */
  static final Map<String, String> ACTIONS =
      Map.ofEntries(
          entry("search.RestSearchAction", "search"),
          entry("search.RestMultiSearchAction", "msearch"),
          entry("search.RestSearchScrollAction", "scroll"),
          entry("search.RestClearScrollAction", "clear_scroll"),
          entry("search.RestCountAction", "count"),
          entry("search.RestCreatePitAction", "create_pit"),
          entry("search.RestDeletePitAction", "delete_pit"),
          entry("document.RestBulkAction", "bulk"),
          entry("document.RestIndexAction", "index"),
          entry("document.RestIndexAction$AutoIdHandler", "index"),
          entry("document.RestIndexAction$CreateHandler", "create"),
          entry("document.RestGetAction", "get"),
          entry("document.RestGetSourceAction", "get_source"),
          entry("document.RestMultiGetAction", "mget"),
          entry("document.RestDeleteAction", "delete"),
          entry("document.RestUpdateAction", "update"));

  private static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT");
  private static final List<String> INDICES =
      List.of("logs", ".kibana_1", "_all", "*", "a,b-*", "-x", "%3Clogs-%7Bnow%2Fd%7D%3E", "a:b");

  private static RestThreadContext threadContext;
  private static NodeRoutes node;
  private static RequestRouter routes;

  @BeforeAll
  static void open() throws IOException {
    OpenSearchRegistries registries = OpenSearchRegistries.create();
    threadContext = new RestThreadContext(registries.settings());
    node = new NodeRoutes(registries, threadContext);
    routes = new RestDispatcher(registries, threadContext, new RecordingExecutor()).routes();
  }

  @AfterAll
  static void close() {
    threadContext.close();
  }

  @Test
  void routeEveryPathLikeANode() {
    List<String> paths = requestPaths();
    List<String> disagreements = new ArrayList<>();
    int coordinated = 0;
    for (String path : paths) {
      for (String method : METHODS) {
        String expected = ACTIONS.getOrDefault(node.handlerOf(method, path), "");
        String got = routes.route(method, path) instanceof Coordinate(String a, _) ? a : "";
        if (!got.equals(expected)) {
          disagreements.add(
              method + " " + path + ": got '" + got + "' (expected: '" + expected + "')");
        }
        coordinated += got.isEmpty() ? 0 : 1;
      }
    }

    assertThat(disagreements).isEmpty();
    assertThat(node.paths()).hasSizeGreaterThan(200);
    assertThat(coordinated).isGreaterThan(100);
  }

  private static List<String> requestPaths() {
    List<String> paths = new ArrayList<>();
    for (String path : node.paths()) {
      for (String index : INDICES) {
        paths.add(path.replace("{index}", index).replaceAll("\\{[^}]*}", "some%2Fthing"));
      }
    }
    return paths;
  }

  @Test
  void passThroughPossiblePluginRoutes() {
    for (String first : List.of("_plugins", "_cat", "_search", "_bulk", "_ALL", "_all,x", "%5Fx")) {
      for (String rest : List.of("_search", "_bulk", "_doc/1", "_mget", "_count", "_update/1")) {
        assertThat(routes.route("POST", "/" + first + "/" + rest)).isInstanceOf(PassThrough.class);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/_search?q=a/b,search",
    "GET,/a/_search?q=%zz,search",
    "GET,/a/_search/,search",
    "POST,/%5Fall/_search,search",
    "HEAD,/a/_doc/x%2Fy,get",
    "HEAD,/a/_source/1,get_source",
    "POST,/a/_doc,index",
    "PUT,/_bulk,bulk",
    "DELETE,/_search/point_in_time/_all,delete_pit",
    "GET,/_search/scroll/abc==,scroll"
  })
  void coordinates(String method, String uri, String action) {
    assertThat(routes.route(method, uri)).isEqualTo(new Coordinate(action));
  }

  @ParameterizedTest
  @CsvSource({
    "POST,/logs/_search,security-user,search",
    "POST,/logs/_search,security-check,search",
    "GET,/logs/_doc/1,security-denied,get",
    "POST,/_bulk,security-action,bulk",
    "POST,/_msearch,security-index,msearch",
    "GET,/_search/scroll/abc,security-rules,scroll",
    "POST,/logs/_search,security,search",
    "POST,/logs/_search,search-pipeline,",
    "PUT,/logs/_doc/1,ingest-pipeline,",
    "POST,/logs/_search,memory,",
    "GET,/_cat/nodes,security-user,"
  })
  void keepTheLimitsOfARequestWhoseClientANodeChecks(
      String method, String uri, String reason, @Nullable String delegatedAction) {
    PassThrough decision = routes.routeAfterBody(method, uri, reason);

    assertThat(decision.reason()).isEqualTo(reason);
    assertThat(decision.delegatedAction()).isEqualTo(delegatedAction);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /",
        "GET /favicon.ico",
        "GET ",
        "GET /a",
        "GET //a/_search",
        "GET /a/_doc/%zz",
        "GET /a/_search/template",
        "POST /_msearch/template",
        "POST /_render/template",
        "POST /_scripts/painless/_execute",
        "POST /_bulk/stream",
        "GET /_search/point_in_time/_all",
        "POST /a/_update_by_query",
        "POST /a/_doc/1/_update",
        "PUT /a/_search",
        "GET /a/_doc",
        "OPTIONS /_search",
        "FOO /_search",
        "get /_search",
        "GET http://node:9200/_search",
        "GET *"
      })
  void passesThrough(String request) {
    int space = request.indexOf(' ');

    assertThat(routes.route(request.substring(0, space), request.substring(space + 1)))
        .isEqualTo(new PassThrough("not-coordinated"));
  }
}
