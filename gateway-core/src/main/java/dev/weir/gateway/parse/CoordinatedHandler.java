package dev.weir.gateway.parse;

import org.opensearch.rest.BaseRestHandler;
import org.opensearch.rest.RestChannel;
import org.opensearch.rest.RestHandler;
import org.opensearch.rest.RestRequest;
import org.opensearch.transport.client.node.NodeClient;

/** One of OpenSearch's REST handlers whose requests the gateway coordinates. */
final class CoordinatedHandler extends RestHandler.Wrapper {
  private final String action;

  /**
   * Wraps a handler.
   *
   * @param action what its requests are called in metrics and logs, such as {@code search}
   */
  CoordinatedHandler(String action, BaseRestHandler handler) {
    super(handler);
    this.action = action;
  }

  /** What its requests are called in metrics and logs. */
  String action() {
    return action;
  }

  @Override
  public void handleRequest(RestRequest request, RestChannel channel, NodeClient client)
      throws Exception {
    try {
      super.handleRequest(request, channel, client);
    } catch (Exception failure) {
      String reason = NodesBusiness.reason(failure);
      if (reason == null) {
        throw failure;
      }
      ExchangeHttpChannel.of(request).exchange().passThrough(reason);
    }
  }
}
