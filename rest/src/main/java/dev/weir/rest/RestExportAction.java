package dev.weir.rest;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.util.PageCacheRecycler;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.rest.BaseRestHandler;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestRequest.Method;
import org.opensearch.rest.action.search.RestSearchAction;
import org.opensearch.transport.client.node.NodeClient;

/**
 * The gateway's own handler of exports, with the parameters and the body of a search, and a cursor
 * in the body. A request for an export never passes through to a node.
 */
final class RestExportAction extends BaseRestHandler {
  /** The action name of exports. */
  static final String ACTION = "export";

  private static final String HTTP_1_0 = "HTTP/1.0";

  private final ExportHandler exports;
  private final PageCacheRecycler pages;
  private final LongSupplier nanoClock;

  /**
   * Creates the handler.
   *
   * @param pages the recycled pages of responses
   * @param nanoClock for example {@link System#nanoTime()}
   */
  RestExportAction(ExportHandler exports, PageCacheRecycler pages, LongSupplier nanoClock) {
    this.exports = exports;
    this.pages = pages;
    this.nanoClock = nanoClock;
  }

  @Override
  public String getName() {
    return "weir_export_action";
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route(Method.GET, "/_weir/export"),
        new Route(Method.POST, "/_weir/export"),
        new Route(Method.GET, "/{index}/_weir/export"),
        new Route(Method.POST, "/{index}/_weir/export"));
  }

  @Override
  protected Set<String> responseParams() {
    return Set.of("typed_keys", "rest_total_hits_as_int", "include_named_queries_score");
  }

  @Override
  public RestChannelConsumer prepareRequest(RestRequest request, NodeClient client)
      throws IOException {
    RestExchange exchange = ExchangeHttpChannel.of(request).exchange();
    exchange.content().requireFormat(ACTION);
    if (exchange.http().protocolVersion().equals(HTTP_1_0)) {
      throw new OpenSearchStatusException(
          "got an export by HTTP/1.0, which can't tell a whole answer from a part (expected:"
              + " HTTP/1.1 or HTTP/2)",
          RestStatus.HTTP_VERSION_NOT_SUPPORTED);
    }
    SearchRequest search = new SearchRequest();
    ExportBody body = ExportBody.read(request);
    body.parseSearch(parser ->
        RestSearchAction.parseSearchRequest(
            search,
            request,
            parser,
            client.getNamedWriteableRegistry(),
            size -> search.source().size(size)));
    ExportHandler.ExportJob export = exports.parse(request, search, body.cursor());
    return channel ->
        export.start(
            new StreamingResponseSession(
                exchange, channel, (GatewayNodeClient) client, pages, nanoClock));
  }
}
