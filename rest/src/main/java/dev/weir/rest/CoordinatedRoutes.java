package dev.weir.rest;

import dev.weir.model.RequestRouter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.rest.RestController;
import org.opensearch.rest.RestRequest;

/**
 * Sends to coordination what one of the {@link CoordinatedHandlers} takes, by the same table that
 * later dispatches the request. Immutable; safe on any thread.
 *
 * <p>A node knows hundreds of routes more, plugins' too, and a literal path segment goes before
 * {@code {index}}: {@code /_cat/_search} is not a search. All of them begin with an underscore,
 * which no index name may, so an {@code {index}} that begins with one ({@code _all} aside) is the
 * node's.
 */
final class CoordinatedRoutes implements RequestRouter {
  private static final Way NOT_COORDINATED = new PassThrough(PassThroughReasons.NOT_COORDINATED);

  private static final Way NODES_INFO = new Local(CoordinatedHandlers.NODES_INFO);

  private final RestController controller;
  private final Exports exports;
  private final Map<String, Way> ways = new HashMap<>();

  CoordinatedRoutes(
      RestController controller, Iterable<CoordinatedHandler> handlers, Exports exports) {
    this.controller = controller;
    this.exports = exports;
    handlers.forEach(
        handler -> ways.computeIfAbsent(handler.action(), action -> new Coordinate(action)));
  }

  @Override
  public Way route(String method, String uri) {
    int query = uri.indexOf('?');
    String rawPath = query < 0 ? uri : uri.substring(0, query);
    Map<String, String> params = new HashMap<>();
    try {
      return controller
          .dispatchHandler(uri, rawPath, RestRequest.Method.valueOf(method), params)
          .filter(CoordinatedHandler.class::isInstance)
          .filter(_ -> mayBeIndex(params.get("index")))
          .map(handler -> wayOf((CoordinatedHandler) handler, params))
          .orElse(NOT_COORDINATED);
    } catch (IllegalArgumentException badEncodingOrMethod) {
      return NOT_COORDINATED;
    }
  }

  private Way wayOf(CoordinatedHandler handler, Map<String, String> params) {
    if (handler.action().equals(CoordinatedHandlers.NODES_INFO)) {
      return NodesInfoAction.tellsAddresses(params) ? NODES_INFO : NOT_COORDINATED;
    }
    if (handler.action().equals(ExportAction.ACTION) && !exports.on()) {
      return NOT_COORDINATED;
    }
    return ways.getOrDefault(handler.action(), NOT_COORDINATED);
  }

  private static boolean mayBeIndex(@Nullable String index) {
    return index == null || index.isEmpty() || index.charAt(0) != '_' || index.equals("_all");
  }
}
