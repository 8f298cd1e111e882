package dev.weir.gateway;

import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RequestRouter.RespondLocally;

/**
 * Routes a request that was admitted on another cluster: the decision of that cluster's router says
 * nothing about this one, whose nodes may have to authenticate the request. Requests that the
 * router doesn't coordinate pass through. Safe on any thread.
 *
 * @param router that of the cluster that the handler belongs to
 * @param handler coordinates
 */
record RouteDispatcher(RequestRouter router, RequestHandler handler) implements RequestHandler {
  private static final String LOCAL = "local";

  @Override
  public void handle(HttpExchange exchange) {
    switch (router.route(exchange.method(), exchange.uri())) {
      case Coordinate _ -> handler.handle(exchange);
      case RespondLocally _ -> exchange.passThrough(LOCAL);
      case PassThrough way -> exchange.passThrough(way.reason());
    }
  }
}
