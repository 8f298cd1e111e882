package dev.weir.model;

import java.util.List;

/**
 * Sees a request that the gateway coordinates, once its body has arrived, and does one of these:
 *
 * <ul>
 *   <li>continue: it calls {@code next} with the same exchange, or with a {@link
 *       ForwardingExchange} that observes or changes the response;
 *   <li>reject or answer: it calls {@link HttpExchange#respond} itself;
 *   <li>pass through: it calls {@link HttpExchange#passThrough} itself;
 *   <li>delay: it keeps the exchange and does one of the above later, on the exchange's event loop.
 * </ul>
 *
 * Called on the exchange's event loop; throws only on a defect.
 */
@FunctionalInterface
public interface RequestFilter {
  /** Continues with every request. */
  RequestFilter NONE = (exchange, next) -> next.handle(exchange);

  /**
   * Filters one request.
   *
   * @param next the rest of the pipeline; it takes the exchange over
   */
  void filter(HttpExchange exchange, RequestHandler next);

  /** A handler behind filters, the first of which sees a request first. */
  static RequestHandler chain(List<RequestFilter> filters, RequestHandler last) {
    RequestHandler chain = last;
    for (RequestFilter filter : filters.reversed()) {
      if (!filter.equals(NONE)) {
        RequestHandler next = chain;
        chain = exchange -> filter.filter(exchange, next);
      }
    }
    return chain;
  }
}
