package dev.weir.rest;

import dev.weir.model.ResponseOptions;
import java.util.List;
import java.util.Map;
import org.opensearch.rest.RestChannel;
import org.opensearch.rest.RestHandler;
import org.opensearch.rest.RestRequest;
import org.opensearch.transport.client.node.NodeClient;

/** One of OpenSearch's REST handlers whose requests the gateway coordinates. */
final class CoordinatedRestHandler extends RestHandler.Wrapper {
  /** The paths from an action's response to its search responses. */
  private static final Map<String, List<String>> SEARCH_RESPONSE_PATHS =
      Map.of("search", List.of(), "msearch", List.of("responses"));

  /** The parameter that names the dropped parts of search responses. */
  private static final String TRIM = "trim";

  private final String action;

  /**
   * Wraps a handler.
   *
   * @param action the action's name in metrics and logs, for example {@code search}
   */
  CoordinatedRestHandler(String action, RestHandler handler) {
    super(handler);
    this.action = action;
  }

  /** Returns the action's name in metrics and logs. */
  String action() {
    return action;
  }

  private static ResponseOptions responseOptions(RestRequest request, List<String> above) {
    String agent = request.header("User-Agent");
    return new ResponseOptions(
        request.param(TRIM, ""),
        agent == null ? "" : agent,
        FilterPathMatcher.hitParts(request.param("filter_path"), above));
  }

  @Override
  public void handleRequest(RestRequest request, RestChannel channel, NodeClient client)
      throws Exception {
    List<String> above = SEARCH_RESPONSE_PATHS.get(action);
    if (above != null) {
      ExchangeHttpChannel.of(request)
          .exchange()
          .setResponseOptions(responseOptions(request, above));
    }
    try {
      super.handleRequest(request, channel, client);
    } catch (Exception failure) {
      String reason = PassThroughClassifier.passThroughReason(failure);
      if (reason == null) {
        throw failure;
      }
      ExchangeHttpChannel.of(request).exchange().passThrough(reason);
    }
  }
}
