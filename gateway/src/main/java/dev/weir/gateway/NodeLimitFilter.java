package dev.weir.gateway;

import dev.weir.model.HttpExchange;
import dev.weir.model.NodeRequestRules;
import dev.weir.model.NodeRequestRules.Limits;
import dev.weir.model.RequestFilter;
import dev.weir.model.RequestHandler;
import dev.weir.rest.PassThroughReasons;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Has a request pass through that a node would reject, or answer with other headers, because of its
 * HTTP settings: the node then applies them. Of a streaming bulk it sees the first section. Safe on
 * any thread.
 *
 * @param rules the present rules of the nodes
 */
record NodeLimitFilter(Supplier<NodeRequestRules> rules) implements RequestFilter {
  /** The bytes of a request line without method and URI: two spaces and the version. */
  private static final int REQUEST_LINE_REST = "  HTTP/1.1".length();

  /** The bytes between a header's name and value, and after the value. */
  private static final int HEADER_SEPARATORS = ": \r\n".length();

  @Override
  public void filter(HttpExchange exchange, RequestHandler next) {
    NodeRequestRules present = rules.get();
    if (isOverLimit(exchange, present.limits()) || isForNode(exchange, present)) {
      exchange.passThrough(PassThroughReasons.NODE_SETTING);
    } else {
      next.handle(exchange);
    }
  }

  private static boolean isOverLimit(HttpExchange exchange, Limits limits) {
    return exchange.originalBody().remaining() > limits.maxContentBytes()
        || exchange.method().length() + exchange.originalUri().length() + REQUEST_LINE_REST
            > limits.maxRequestLineBytes()
        || headerBytes(exchange.headers()) > limits.maxHeaderBytes();
  }

  private static long headerBytes(List<Map.Entry<String, String>> headers) {
    long bytes = 0;
    for (Map.Entry<String, String> header : headers) {
      bytes += header.getKey().length() + header.getValue().length() + HEADER_SEPARATORS;
    }
    return bytes;
  }

  private static boolean isForNode(HttpExchange exchange, NodeRequestRules present) {
    if (!present.checksOrigins() && !present.resetsCookies()) {
      return false;
    }
    for (Map.Entry<String, String> header : exchange.headers()) {
      if ((present.checksOrigins() && header.getKey().equalsIgnoreCase("Origin"))
          || (present.resetsCookies() && header.getKey().equalsIgnoreCase("Cookie"))) {
        return true;
      }
    }
    return false;
  }
}
