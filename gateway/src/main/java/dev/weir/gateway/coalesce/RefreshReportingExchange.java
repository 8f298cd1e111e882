package dev.weir.gateway.coalesce;

import dev.weir.model.BufferedResponse;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import dev.weir.model.StreamingResponse;

/** A write whose response, buffered or streamed, may confirm that its documents are visible. */
final class RefreshReportingExchange extends ForwardingExchange {
  private final Runnable onRefresh;

  /**
   * Creates one.
   *
   * @param onRefresh runs before the client can see the response
   */
  RefreshReportingExchange(HttpExchange exchange, Runnable onRefresh) {
    super(exchange);
    this.onRefresh = onRefresh;
  }

  @Override
  public void respond(BufferedResponse response) {
    onRefresh.run();
    super.respond(response);
  }

  @Override
  public void respond(StreamingResponse response) {
    onRefresh.run();
    super.respond(response);
  }
}
