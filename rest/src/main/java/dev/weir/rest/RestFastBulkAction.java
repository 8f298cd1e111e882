package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.SectionedBody;
import dev.weir.protocol.RequestFrameBudget;
import dev.weir.rest.bulk.BulkRequestReader;
import dev.weir.rest.bulk.FastBulkParser;
import java.io.IOException;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.action.RestStatusToXContentListener;
import org.opensearch.rest.action.document.RestBulkAction;
import org.opensearch.transport.client.node.NodeClient;

/**
 * OpenSearch's handler of bulks with {@link FastBulkParser} for ordinary bodies. It reads the
 * parameters in the same order, with the same errors. A body that is still arriving runs as a
 * {@link StreamingBulkSession}.
 */
final class RestFastBulkAction extends RestBulkAction {
  private final boolean allowExplicitIndex;
  private final StreamingBulkCounts streamingCounts;

  /**
   * Creates the handler.
   *
   * @param settings {@code rest.action.multi.allow_explicit_index} is read
   */
  RestFastBulkAction(Settings settings, StreamingBulkCounts streamed) {
    super(settings);
    this.allowExplicitIndex = MULTI_ALLOW_EXPLICIT_INDEX.get(settings);
    this.streamingCounts = streamed;
  }

  @Override
  public RestChannelConsumer prepareRequest(RestRequest request, NodeClient client)
      throws IOException {
    BulkRequestReader reading = new BulkRequestReader(request, allowExplicitIndex);
    BytesReference body = request.requiredContent();
    RestExchange exchange = ExchangeHttpChannel.of(request).exchange();
    SectionedBody sections = exchange.http().sectionedBody();
    if (sections == null) {
      BulkRequest bulk = reading.read(body, exchange::reserveMemory);
      return channel -> client.bulk(bulk, new RestStatusToXContentListener<>(channel));
    }
    BulkSection first = new BulkSection(exchange.memory(), sections.firstSection(), 0);
    exchange.onEnd(first::abandon);
    MemoryRejection refused = first.reserveMemory(false);
    if (refused != null) {
      throw RequestFrameBudget.exception(refused);
    }
    first.parse(reading);
    return channel ->
        new StreamingBulkSession(
                exchange, channel, (GatewayNodeClient) client, reading, streamingCounts)
            .start(sections, first);
  }
}
