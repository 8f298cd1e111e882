package dev.weir.rest;

import java.io.IOException;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchScrollRequest;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;
import org.opensearch.rest.action.RestResponseListener;
import org.opensearch.rest.action.search.RestSearchScrollAction;
import org.opensearch.search.Scroll;
import org.opensearch.transport.client.node.NodeClient;

/**
 * OpenSearch's handler of the further pages of scrolls, with further {@linkplain
 * SearchResponseFormats response formats}.
 */
final class RestFormattedScrollAction extends RestSearchScrollAction implements OwnFormatHandler {
  private static final String SCROLL = "scroll";

  private final SearchResponseFormats formats;

  RestFormattedScrollAction(SearchResponseFormats formats) {
    this.formats = formats;
  }

  @Override
  public boolean isNodeFormat(RestRequest request) {
    try {
      return formats.requestedPageFormat(request) == null;
    } catch (RuntimeException invalid) {
      return false; // an error of the gateway's own parameters
    }
  }

  @Override
  public RestChannelConsumer prepareRequest(RestRequest request, NodeClient client)
      throws IOException {
    SearchResponseFormat format = formats.requestedPageFormat(request);
    if (format == null) {
      return super.prepareRequest(request, client);
    }
    RestExchange exchange = ExchangeHttpChannel.of(request).exchange();
    exchange.content().requireFormat(format.name());
    SearchScrollRequest scroll = parse(request);
    return channel ->
        client.searchScroll(
            scroll,
            new RestResponseListener<SearchResponse>(channel) {
              @Override
              public RestResponse buildResponse(SearchResponse page) throws IOException {
                return format.writeResponse(page, request, exchange::newOutput);
              }
            });
  }

  /** Parses as OpenSearch does: what the body says takes precedence over the parameters. */
  private static SearchScrollRequest parse(RestRequest request) throws IOException {
    SearchScrollRequest scroll = new SearchScrollRequest();
    scroll.scrollId(request.param("scroll_id"));
    String keepAlive = request.param(SCROLL);
    if (keepAlive != null) {
      scroll.scroll(new Scroll(TimeValue.parseTimeValue(keepAlive, null, SCROLL)));
    }
    request.withContentOrSourceParamParserOrNull(parser -> {
      if (parser != null) {
        try {
          scroll.fromXContent(parser);
        } catch (IOException e) {
          throw new IllegalArgumentException("Failed to parse request body", e);
        }
      }
    });
    return scroll;
  }
}
