package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.model.RequestRouter;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The gateway coordinates a request only as the action that a node finds in its path, however the
 * path is written. Otherwise a proxy in front that permits paths could be deceived.
 */
@SuppressWarnings("NullAway.Init")
class RequestPathFuzz {
  private static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "get", "");

  private static final String[] PARTS = {
    "/",
    "//",
    "/.",
    "/..",
    "/%2e%2e",
    "/%2F",
    "%2f",
    "/_",
    "_",
    "%5F",
    "%5fsearch",
    "/_search",
    "/_doc",
    "/_doc/1",
    "/_bulk",
    "/_msearch",
    "/_mget",
    "/_count",
    "/_cat",
    "/_all",
    "/_source",
    "/_create/2",
    "/_update/3",
    "/scroll",
    "/point_in_time",
    "/template",
    "/stream",
    "/_weir/export",
    "/logs",
    "/a,b",
    "/*",
    "/-x",
    "/%3Ca%3E",
    "/%",
    "/%zz",
    "/%00",
    "/\u00e9",
    ";",
    "?",
    "?q=/_doc",
    "?index=x",
    "#",
    " ",
    "+",
    "\\",
    "/_search/",
    "/{index}",
    "/_snapshot/r/s",
    "/_plugins/_sql"
  };

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

  @FuzzTest
  void coordinateOnlyWhatANodeFinds(FuzzedDataProvider data) {
    check(data.pickValue(METHODS), "/" + data.consumeRemainingAsString());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void coordinateOnlyWhatANodeFindsInOddPaths(long seed) {
    Random random = new Random(seed);
    int coordinated = 0;
    for (int round = 0; round < 30_000; round++) {
      StringBuilder uri = new StringBuilder();
      for (int n = 1 + random.nextInt(4); n > 0; n--) {
        uri.append(PARTS[random.nextInt(PARTS.length)]);
      }
      if (random.nextInt(4) == 0) {
        uri.insert(random.nextInt(uri.length() + 1), (char) (' ' + random.nextInt(95)));
      }
      if (check(METHODS.get(random.nextInt(METHODS.size())), uri.toString())) {
        coordinated++;
      }
    }
    assertThat(coordinated).isGreaterThan(500);
  }

  /** Returns whether the request is coordinated; fails if a node finds another action in it. */
  private static boolean check(String method, String uri) {
    if (!(routes.route(method, uri) instanceof Coordinate(String action, _))) {
      return false;
    }
    int query = uri.indexOf('?');
    String path = query < 0 ? uri : uri.substring(0, query);
    String handler = node.handlerOf(method, path);
    if (!action.equals(RestExportAction.ACTION)) {
      assertThat(CoordinatedRestRouterTest.ACTIONS.get(handler))
          .as("%s %s, which a node gives to '%s'", method, uri, handler)
          .isEqualTo(action);
    }
    return true;
  }
}
