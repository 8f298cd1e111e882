package dev.weir.rest;

import dev.weir.model.ResponseOptions;
import dev.weir.rest.bulk.BulkStreamingOptions;
import dev.weir.rest.parameters.FilterPathMatcher;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.opensearch.rest.BaseRestHandler;
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

  /** Actions whose bodies stay bytes, or are accounted item by item. */
  private static final Set<String> UNPARSED =
      Set.of(BulkStreamingOptions.ACTION, "index", "create", CoordinatedRestHandlers.NODES_INFO);

  private static final Set<String> READS =
      Set.of(
          "search",
          "count",
          "scroll",
          "clear_scroll",
          "delete_pit",
          CoordinatedRestHandlers.MULTI_SEARCH,
          CoordinatedRestHandlers.MULTI_GET);

  private final String action;
  private final RestHandler handler;

  /**
   * Wraps a handler.
   *
   * @param action the action's name in metrics and logs, for example {@code search}
   */
  CoordinatedRestHandler(String action, RestHandler handler) {
    super(handler);
    this.action = action;
    this.handler = handler;
  }

  /** Returns the action's name in metrics and logs. */
  String action() {
    return action;
  }

  /** Returns whether the request writes no document, and its response is sent as a whole. */
  boolean isRead() {
    return READS.contains(action);
  }

  /** Returns whether a node can answer the request, too. */
  boolean canPassThrough(RestRequest request) {
    return switch (parsingHandler()) {
      case RestExportAction export -> false;
      case OwnFormatHandler formatted -> formatted.isNodeFormat(request);
      default -> true;
    };
  }

  /** Returns the handler that parses the request under the nodes' present rules. */
  private BaseRestHandler parsingHandler() {
    return switch (handler) {
      case ExplicitIndexHandler multi -> multi.current();
      case BaseRestHandler parsing -> parsing;
      default -> throw new IllegalStateException("got " + handler + " (expected: one that parses)");
    };
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
          .content()
          .setOptions(responseOptions(request, above));
    }
    try {
      if (UNPARSED.contains(action)) {
        super.handleRequest(request, channel, client);
      } else {
        new AccountedBodyParser(this, parsingHandler(), request, channel, client).start();
      }
    } catch (Exception failure) {
      RestExchange exchange = ExchangeHttpChannel.of(request).exchange();
      String reason = exchange.passThroughReason(failure);
      if (reason == null) {
        throw failure;
      }
      exchange.passThrough(reason);
    }
  }
}
