package dev.weir.model;

import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import java.util.List;

/**
 * Changes how a request is handled from its method and URI alone, before its headers are admitted
 * and before any byte of its body is read. It may turn one decision into another (coordinate,
 * respond locally, pass through), or make the response of a request that passes through wait for
 * something. It cannot delay or answer a request; {@link RequestFilter} and the header filter can.
 *
 * <p>Each method gets the decision of the filters before it and returns it, changed or not, so
 * there is nothing to forward. No method has a default, so that each filter decides for each
 * moment. Pure; called on event loops.
 */
public interface RouteFilter {
  /** Changes nothing. */
  RouteFilter NONE =
      new RouteFilter() {
        @Override
        public Decision filter(String method, String uri, Decision decision) {
          return decision;
        }

        @Override
        public PassThrough filterLargeBody(String method, String uri, PassThrough decision) {
          return decision;
        }

        @Override
        public PassThrough filterAfterBody(String method, String uri, PassThrough decision) {
          return decision;
        }
      };

  /**
   * A request has arrived.
   *
   * @param method in upper case
   * @param uri path and query as sent
   */
  Decision filter(String method, String uri, Decision decision);

  /** A request was to be coordinated, but its body is too large to be buffered. */
  PassThrough filterLargeBody(String method, String uri, PassThrough decision);

  /** A request was to be coordinated; its body shows that only a node can answer it. */
  PassThrough filterAfterBody(String method, String uri, PassThrough decision);

  /** Creates a router whose decisions pass through the filters in order. */
  static RequestRouter chain(RequestRouter router, List<RouteFilter> filters) {
    return new FilteredRouter(router, filters.toArray(new RouteFilter[0]));
  }
}
