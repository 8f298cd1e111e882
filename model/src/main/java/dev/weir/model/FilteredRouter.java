package dev.weir.model;

import org.jspecify.annotations.Nullable;

/** A router whose decisions pass through filters. Immutable. */
final class FilteredRouter implements RequestRouter {
  private final RequestRouter router;
  private final RouteFilter[] filters;

  FilteredRouter(RequestRouter router, RouteFilter[] filters) {
    this.router = router;
    this.filters = filters;
  }

  @Override
  public Decision route(String method, String uri) {
    Decision decision = router.route(method, uri);
    for (RouteFilter filter : filters) {
      decision = filter.filter(method, uri, decision);
    }
    return decision;
  }

  @Override
  public PassThrough routeLargeBody(String method, String uri) {
    PassThrough decision = router.routeLargeBody(method, uri);
    for (RouteFilter filter : filters) {
      decision = filter.filterLargeBody(method, uri, decision);
    }
    return decision;
  }

  @Override
  public @Nullable LargeBodyCheck largeBodyCheck(String method, String uri) {
    return router.largeBodyCheck(method, uri);
  }

  @Override
  public PassThrough routeAfterBody(String method, String uri, String reason) {
    PassThrough decision = router.routeAfterBody(method, uri, reason);
    for (RouteFilter filter : filters) {
      decision = filter.filterAfterBody(method, uri, decision);
    }
    return decision;
  }
}
