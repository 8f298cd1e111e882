package dev.weir.gateway;

import dev.weir.http.error.ErrorBody;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers with 503 while no node of the cluster can be reached, and says what was tried: without a
 * node nothing is known, not even that an index is missing. Clients try such an answer again.
 */
final class ClusterAvailabilityFilter implements RequestHandler {
  private static final int SERVICE_UNAVAILABLE = 503;

  private final Supplier<@Nullable String> unavailableReason;
  private final RequestHandler handler;

  /**
   * Makes a handler in front of another.
   *
   * @param unreachable why no node can be reached; null while one can. Asked with every request
   */
  ClusterAvailabilityFilter(Supplier<@Nullable String> unreachable, RequestHandler handler) {
    this.unavailableReason = unreachable;
    this.handler = handler;
  }

  @Override
  public void handle(HttpExchange exchange) {
    String why = unavailableReason.get();
    if (why == null) {
      handler.handle(exchange);
    } else {
      exchange.markIncomplete();
      exchange.respond(reply(why));
    }
  }

  private static BufferedResponse reply(String why) {
    ErrorBody body = new ErrorBody(SERVICE_UNAVAILABLE, "no_node_available_exception", why);
    return new BufferedResponse(
        SERVICE_UNAVAILABLE,
        "application/json; charset=UTF-8",
        List.of(),
        List.of(body.bytes(false)),
        () -> {});
  }
}
