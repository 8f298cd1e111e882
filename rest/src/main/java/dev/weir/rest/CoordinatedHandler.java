package dev.weir.rest;

import dev.weir.model.AnswerWish;
import java.util.List;
import java.util.Map;
import org.opensearch.rest.BaseRestHandler;
import org.opensearch.rest.RestChannel;
import org.opensearch.rest.RestHandler;
import org.opensearch.rest.RestRequest;
import org.opensearch.transport.client.node.NodeClient;

/** One of OpenSearch's REST handlers whose requests the gateway coordinates. */
final class CoordinatedHandler extends RestHandler.Wrapper {
  /** Where the answers to searches are in the answers of actions. */
  private static final Map<String, List<String>> ANSWERS =
      Map.of("search", List.of(), "msearch", List.of("responses"));

  /** The parameter by which a client says what it wants left out of the answers to searches. */
  private static final String TRIM = "trim";

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

  private static AnswerWish wish(RestRequest request, List<String> above) {
    String agent = request.header("User-Agent");
    return new AnswerWish(
        request.param(TRIM, ""),
        agent == null ? "" : agent,
        ReadParts.of(request.param("filter_path"), above));
  }

  @Override
  public void handleRequest(RestRequest request, RestChannel channel, NodeClient client)
      throws Exception {
    List<String> above = ANSWERS.get(action);
    if (above != null) {
      ExchangeHttpChannel.of(request).exchange().wishes(wish(request, above));
    }
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
