package dev.weir.rest;

import dev.weir.model.LargeBodyCheck;
import dev.weir.model.RequestRouter;
import dev.weir.rest.estimate.NodeHeapLimit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.opensearch.rest.RestController;
import org.opensearch.rest.RestRequest;

/**
 * Routes a request to coordination if one of the {@link CoordinatedRestHandlers} serves it, by the
 * same table that later dispatches the request. Immutable; safe on any thread.
 *
 * <p>A node knows hundreds of further routes, including those of plugins, and a literal path
 * segment takes precedence over {@code {index}}: {@code /_cat/_search} is not a search. All of
 * these segments begin with an underscore, which no index name may do. Therefore a request with an
 * {@code {index}} that begins with an underscore, except {@code _all}, passes through.
 */
final class CoordinatedRestRouter implements RequestRouter {
  private static final Decision NOT_COORDINATED =
      new PassThrough(PassThroughReasons.NOT_COORDINATED);

  private static final Decision NODES_INFO = new RespondLocally(CoordinatedRestHandlers.NODES_INFO);

  private final RestController controller;
  private final ExportHandler exports;
  private final Map<String, Decision> routesByAction = new HashMap<>();
  private final NodeHeapLimit nodeHeap;

  CoordinatedRestRouter(
      RestController controller,
      Iterable<CoordinatedRestHandler> handlers,
      ExportHandler exports,
      NodeHeapLimit nodeHeap) {
    this.controller = controller;
    this.exports = exports;
    this.nodeHeap = nodeHeap;
    handlers.forEach(handler ->
        routesByAction.computeIfAbsent(handler.action(), action -> new Coordinate(action)));
  }

  @Override
  public Decision route(String method, String uri) {
    Map<String, String> params = new HashMap<>();
    return find(method, uri, params)
        .map(handler -> routeOf(handler, params))
        .orElse(NOT_COORDINATED);
  }

  @Override
  public @Nullable LargeBodyCheck largeBodyCheck(String method, String uri) {
    return find(method, uri, new HashMap<>())
        .filter(CoordinatedRestHandler::isRead)
        .map(handler -> nodeHeap.ofBeginning(handler.action()))
        .orElse(null);
  }

  /**
   * A request that the gateway could coordinate, and that a node carries out only to check the
   * client, keeps the limits of coordinated requests.
   */
  @Override
  public PassThrough routeAfterBody(String method, String uri, String reason) {
    return PassThroughReasons.isClientCheck(reason)
            && route(method, uri) instanceof Coordinate(String action, _)
        ? PassThrough.delegated(reason, action)
        : new PassThrough(reason);
  }

  private Optional<CoordinatedRestHandler> find(
      String method, String uri, Map<String, String> params) {
    int query = uri.indexOf('?');
    String rawPath = query < 0 ? uri : uri.substring(0, query);
    try {
      return controller
          .dispatchHandler(uri, rawPath, RestRequest.Method.valueOf(method), params)
          .filter(CoordinatedRestHandler.class::isInstance)
          .filter(_ -> canBeIndex(params.get("index")))
          .map(CoordinatedRestHandler.class::cast);
    } catch (IllegalArgumentException badEncodingOrMethod) {
      return Optional.empty();
    }
  }

  private Decision routeOf(CoordinatedRestHandler handler, Map<String, String> params) {
    if (handler.action().equals(CoordinatedRestHandlers.NODES_INFO)) {
      return RestGatewayNodesInfoAction.hasAddresses(params) ? NODES_INFO : NOT_COORDINATED;
    }
    if (handler.action().equals(RestExportAction.ACTION) && !exports.isEnabled()) {
      return NOT_COORDINATED;
    }
    return routesByAction.getOrDefault(handler.action(), NOT_COORDINATED);
  }

  private static boolean canBeIndex(@Nullable String index) {
    return index == null || index.isEmpty() || index.charAt(0) != '_' || index.equals("_all");
  }
}
