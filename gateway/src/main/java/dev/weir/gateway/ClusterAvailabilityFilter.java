package dev.weir.gateway;

import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.http.error.ErrorBody;
import dev.weir.http.error.RejectionResponses;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpStatus;
import dev.weir.model.RequestFilter;
import dev.weir.model.RequestHandler;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests with 503 while no node of the cluster can be reached: without a node the gateway
 * knows nothing, not even that an index is missing. Clients retry a 503. {@code /readyz} on the
 * admin port states what was tried.
 */
final class ClusterAvailabilityFilter implements RequestFilter {

  private final Supplier<@Nullable String> unavailableReason;

  /**
   * Creates a filter.
   *
   * @param unavailableReason why no node can be reached; null while one can. Called for every
   *     request
   */
  ClusterAvailabilityFilter(Supplier<@Nullable String> unavailableReason) {
    this.unavailableReason = unavailableReason;
  }

  @Override
  public void filter(HttpExchange exchange, RequestHandler next) {
    String reason = unavailableReason.get();
    if (reason == null) {
      next.handle(exchange);
    } else {
      exchange.markIncomplete();
      exchange.respond(response(reason, HttpHeaderRules.isPretty(exchange.uri())));
    }
  }

  private static BufferedResponse response(String reason, boolean pretty) {
    return new ErrorBody(HttpStatus.SERVICE_UNAVAILABLE, "no_node_available_exception", reason)
        .toReply(RejectionResponses.RETRY_AFTER_HEADERS, pretty);
  }
}
