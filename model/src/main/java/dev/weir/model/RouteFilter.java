package dev.weir.model;

import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import java.util.List;

/**
 * Changes how a request is handled, knowing its method and URI alone: before its headers admit it
 * and before any byte of its body is read. It may turn one decision into another (coordinate,
 * respond locally, pass through), or have the answer of a request that passes through wait for
 * something. It can't delay or answer a request; that is for {@link RequestFilter} and the filter
 * of headers.
 *
 * <p>Each method gets the decision of the filters before it and returns it, changed or not: so
 * there is nothing to forward. None has a default, so that each filter says for each moment what it
 * does. Pure; called on event loops.
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

  /** A request was to be coordinated; its body has shown that only a node can answer it. */
  PassThrough filterAfterBody(String method, String uri, PassThrough decision);

  /** A router whose decisions pass the filters in their order. */
  static RequestRouter chain(RequestRouter router, List<RouteFilter> filters) {
    return new FilteredRouter(router, filters.toArray(new RouteFilter[0]));
  }
}
