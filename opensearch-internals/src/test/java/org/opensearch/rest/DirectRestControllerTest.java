package org.opensearch.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.core.indices.breaker.NoneCircuitBreakerService;
import org.opensearch.rest.RestRequest.Method;
import org.opensearch.transport.client.node.NodeClient;
import org.opensearch.usage.UsageService;

/** Finds the same handlers and parameters as OpenSearch's own controller. */
class DirectRestControllerTest {
  private static final List<String> SEGMENTS =
      List.of(
          "",
          "logs",
          "_all",
          "_cat",
          "*",
          "x",
          "favicon.ico",
          "a,b",
          "a+b",
          "a%2Fb",
          "%zz",
          "{index}",
          "_search",
          "_doc",
          "_update",
          "_count",
          "%5Fsearch",
          "template",
          "scroll",
          "_x",
          "{id}",
          "é");

  private record Named(String name, List<Route> routes) implements RestHandler {
    @Override
    public void handleRequest(RestRequest request, RestChannel channel, NodeClient client) {
      throw new UnsupportedOperationException("got a request (expected: none)");
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static final List<Named> HANDLERS =
      List.of(
          new Named(
              "search",
              List.of(
                  new RestHandler.Route(Method.GET, "/_search"),
                  new RestHandler.Route(Method.GET, "/{index}/_search"),
                  new RestHandler.Route(Method.POST, "/{index}/_search"))),
          new Named(
              "template", List.of(new RestHandler.Route(Method.POST, "/{index}/_search/template"))),
          new Named(
              "scroll",
              List.of(
                  new RestHandler.Route(Method.GET, "/_search/scroll"),
                  new RestHandler.Route(Method.GET, "/_search/scroll/{scroll_id}"))),
          new Named(
              "index",
              List.of(
                  new RestHandler.Route(Method.POST, "/{index}/_doc"),
                  new RestHandler.Route(Method.PUT, "/{index}/_doc/{id}"),
                  new RestHandler.Route(Method.POST, "/{index}/_doc/{id}"))),
          new Named(
              "get",
              List.of(
                  new RestHandler.Route(Method.GET, "/{index}/_doc/{id}"),
                  new RestHandler.Route(Method.HEAD, "/{index}/_doc/{id}"))),
          new Named(
              "update",
              List.of(
                  new RestHandler.Route(Method.POST, "/{index}/_update/{id}"),
                  new RestHandler.Route(Method.POST, "/{index}/_update/x"))),
          new Named("count", List.of(new RestHandler.Route(Method.POST, "/{index}/_count"))),
          new Named("cat", List.of(new RestHandler.Route(Method.GET, "/_cat/_search"))));

  private final RestController walking =
      new RestController(Set.of(), null, null, new NoneCircuitBreakerService(), new UsageService());
  private final DirectRestController direct =
      new DirectRestController(Set.of(), null, new NoneCircuitBreakerService(), new UsageService());

  DirectRestControllerTest() {
    HANDLERS.forEach(walking::registerHandler);
    direct.registerHandlers(HANDLERS);
  }

  private static List<String> paths() {
    List<String> paths = new ArrayList<>(List.of("", "*", "_search", "http://n:9200/logs/_search"));
    for (String first : SEGMENTS) {
      paths.add("/" + first);
      for (String second : SEGMENTS) {
        paths.add("/" + first + "/" + second);
        for (String third : SEGMENTS) {
          paths.add("/" + first + "/" + second + "/" + third);
          paths.add("/" + first + "/" + second + "/" + third + "/");
          paths.add("/" + first + "/" + second + "/" + third + "/y");
        }
      }
    }
    return paths;
  }

  /** What a controller finds: the handler's name, and the parameters. */
  private static String found(RestController controller, Method method, String path) {
    Map<String, String> params = new HashMap<>(Map.of("index", "of the query", "size", "1"));
    try {
      return controller
          .dispatchHandler(path, path, method, params)
          .map(handler -> handler + " " + new TreeMap<>(params))
          .orElse("none");
    } catch (IllegalArgumentException badEncoding) {
      return "refused: " + badEncoding.getMessage();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"})
  void findWhatTheRoutesLeadTo(String name) {
    Method method = Method.valueOf(name);
    int handled = 0;
    for (String path : paths()) {
      String expected = found(walking, method, path);
      assertThat(found(direct, method, path)).as("%s %s", method, path).isEqualTo(expected);
      handled += expected.contains("{") ? 1 : 0;
    }
    assertThat(handled > 0).isEqualTo(!name.equals("DELETE") && !name.equals("OPTIONS"));
  }

  @Test
  void yieldAllFurtherMatchesAfterTheKnownOne() {
    List<String> found = new ArrayList<>();
    direct
        .getAllRestMethodHandlers(new HashMap<>(), "/logs/_doc/1")
        .forEachRemaining(handlers -> found.add(handlers == null ? "" : handlers.getPath()));
    List<String> walked = new ArrayList<>();
    walking
        .getAllRestMethodHandlers(new HashMap<>(), "/logs/_doc/1")
        .forEachRemaining(handlers -> walked.add(handlers == null ? "" : handlers.getPath()));

    assertThat(found.getFirst()).isEqualTo("/{index}/_doc/{id}");
    assertThat(found.subList(1, found.size())).isEqualTo(walked);
  }
}
