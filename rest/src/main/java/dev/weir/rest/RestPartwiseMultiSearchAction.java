package dev.weir.rest;

import java.io.IOException;
import org.opensearch.action.search.MultiSearchAction;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.common.settings.Settings;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.action.RestCancellableNodeClient;
import org.opensearch.rest.action.RestToXContentListener;
import org.opensearch.rest.action.search.RestMultiSearchAction;
import org.opensearch.transport.client.node.NodeClient;

/**
 * OpenSearch's handler of multi-searches, which writes each part as soon as it is done where the
 * format allows it.
 */
final class RestPartwiseMultiSearchAction extends RestMultiSearchAction {
  private final boolean allowsExplicitIndex;

  RestPartwiseMultiSearchAction(Settings settings) {
    super(settings);
    this.allowsExplicitIndex = MULTI_ALLOW_EXPLICIT_INDEX.get(settings);
  }

  @Override
  public RestChannelConsumer prepareRequest(RestRequest request, NodeClient client)
      throws IOException {
    MultiSearchRequest parsed =
        parseRequest(request, client.getNamedWriteableRegistry(), allowsExplicitIndex);
    return channel -> {
      MultiSearchPartWriter writer =
          ExchangeHttpChannel.of(request)
              .exchange()
              .newPartWriter(request, parsed.requests().size());
      new RestCancellableNodeClient(client, request.getHttpChannel())
          .execute(
              MultiSearchAction.INSTANCE,
              writer == null ? parsed : new PartwiseMultiSearchRequest(parsed, writer),
              new RestToXContentListener<>(channel));
    };
  }
}
