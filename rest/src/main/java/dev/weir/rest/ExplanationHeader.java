package dev.weir.rest;

import dev.weir.model.HttpExchange;
import dev.weir.model.RequestContext;
import java.util.Map;

/**
 * The request header with which a client asks which copies the gateway chose, and why. Users of a
 * secured cluster get no such explanation: it names nodes, and values of pruned indices. Pure.
 */
final class ExplanationHeader {
  private ExplanationHeader() {}

  static boolean isSet(HttpExchange exchange) {
    if (exchange.identity() != null) {
      return false;
    }
    for (Map.Entry<String, String> header : exchange.headers()) {
      if (header.getKey().equalsIgnoreCase(RequestContext.EXPLAIN_HEADER)) {
        return header.getValue().equalsIgnoreCase("true");
      }
    }
    return false;
  }
}
