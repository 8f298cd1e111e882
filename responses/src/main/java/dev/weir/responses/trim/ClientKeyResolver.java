package dev.weir.responses.trim;

import dev.weir.model.HttpExchange;
import java.util.Map;
import java.util.function.Function;

/**
 * Finds what a trimmed response depends on besides the request: rules may depend on the tenant and
 * on the client's {@code User-Agent}. Requests with different keys must not share a response. Safe
 * on any thread.
 *
 * @param trimming knows which policies have such rules
 */
public record ClientKeyResolver(ResponseTrimmer trimming)
    implements Function<HttpExchange, String> {
  private static final String USER_AGENT = "User-Agent";

  /** The key of a request's client; empty where the response is the same for all clients. */
  @Override
  public String apply(HttpExchange exchange) {
    return trimming.isClientDependent(exchange.policy())
        ? exchange.tenant() + '\n' + userAgent(exchange)
        : "";
  }

  private static String userAgent(HttpExchange exchange) {
    for (Map.Entry<String, String> header : exchange.headers()) {
      if (header.getKey().equalsIgnoreCase(USER_AGENT)) {
        return header.getValue();
      }
    }
    return "";
  }
}
