package dev.weir.gateway;

import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RequestRouter.RespondLocally;

/**
 * Routes a request that was admitted on another cluster. The decision of that cluster's router does
 * not hold here, because the nodes of this cluster may have to authenticate the request. Requests
 * that the router does not coordinate pass through. Safe on any thread.
 *
 * @param router the router of the handler's cluster
 * @param handler coordinates requests
 */
record RouteDispatcher(RequestRouter router, RequestHandler handler) implements RequestHandler {
  private static final String LOCAL = "local";

  @Override
  public void handle(HttpExchange exchange) {
    switch (router.route(exchange.method(), exchange.uri())) {
      case Coordinate _ -> handler.handle(exchange);
      case RespondLocally _ -> exchange.passThrough(LOCAL);
      case PassThrough decision -> exchange.passThrough(decision.reason());
    }
  }
}
