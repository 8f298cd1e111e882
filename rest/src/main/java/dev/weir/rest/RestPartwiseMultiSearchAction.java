package dev.weir.rest;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.MultiSearchAction;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.action.ActionListener;
import org.opensearch.rest.RestChannel;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;
import org.opensearch.rest.action.RestResponseListener;
import org.opensearch.rest.action.RestToXContentListener;
import org.opensearch.rest.action.search.RestMultiSearchAction;
import org.opensearch.transport.client.node.NodeClient;

/**
 * OpenSearch's handler of multi-searches, which writes each part as soon as it is done where the
 * format allows it, and knows further {@linkplain SearchResponseFormats response formats}.
 */
final class RestPartwiseMultiSearchAction extends RestMultiSearchAction
    implements OwnFormatHandler {
  private final boolean allowsExplicitIndex;
  private final SearchResponseFormats formats;

  RestPartwiseMultiSearchAction(Settings settings, SearchResponseFormats formats) {
    super(settings);
    this.allowsExplicitIndex = MULTI_ALLOW_EXPLICIT_INDEX.get(settings);
    this.formats = formats;
  }

  @Override
  public boolean isNodeFormat(RestRequest request) {
    try {
      return formats.requestedMultiFormat(request) == null;
    } catch (RuntimeException invalid) {
      return false; // an error of the gateway's own parameters
    }
  }

  @Override
  public RestChannelConsumer prepareRequest(RestRequest request, NodeClient client)
      throws IOException {
    RestExchange exchange = ExchangeHttpChannel.of(request).exchange();
    MultiSearchResponseFormat format = formats.requestedMultiFormat(request);
    if (format != null) {
      exchange.content().requireFormat(format.name());
    }
    MultiSearchRequest parsed =
        parseRequest(request, client.getNamedWriteableRegistry(), allowsExplicitIndex);
    if (format != null) {
      format.prepareRequests(parsed.requests());
    }
    return channel -> {
      MultiSearchPartSink writer =
          format == null
              ? exchange.newPartWriter(request, parsed.requests().size())
              : new FormattedPartWriter(format, request, exchange);
      ((GatewayNodeClient) client)
          .executeUntilDisconnect(
              MultiSearchAction.INSTANCE,
              writer == null ? parsed : new PartwiseMultiSearchRequest(parsed, writer),
              exchange,
              listener(channel, format));
    };
  }

  private static ActionListener<MultiSearchResponse> listener(
      RestChannel channel, @Nullable MultiSearchResponseFormat format) {
    return format == null
        ? new RestToXContentListener<>(channel)
        : new RestResponseListener<>(channel) {
          @Override
          public RestResponse buildResponse(MultiSearchResponse response) {
            return format.toResponse(response.getTook().millis());
          }
        };
  }
}
