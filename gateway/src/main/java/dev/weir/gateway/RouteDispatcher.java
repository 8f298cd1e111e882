package dev.weir.gateway;

import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RequestRouter.RespondLocally;

/**
 * Carries out what a router has coordinated, and passes everything else through: for requests that
 * were let in by another cluster's router, which says nothing of what this cluster's nodes have to
 * check. Asked with every request. Safe on any thread.
 *
 * @param router of the cluster that the handler belongs to
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
