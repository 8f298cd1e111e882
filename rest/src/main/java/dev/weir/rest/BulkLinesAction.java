package dev.weir.rest;

import dev.weir.model.MemoryRefusal;
import dev.weir.model.SectionedBody;
import dev.weir.protocol.RequestFrames;
import java.io.IOException;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.action.RestStatusToXContentListener;
import org.opensearch.rest.action.document.RestBulkAction;
import org.opensearch.transport.client.node.NodeClient;

/**
 * OpenSearch's handler of bulks, reading ordinary bodies with {@link BulkLines}: parameters in the
 * same order, with the same errors. A body that is still coming is carried out as a {@link
 * BulkStream}.
 */
final class BulkLinesAction extends RestBulkAction {
  private final boolean allowExplicitIndex;
  private final StreamedBulks streamed;

  /**
   * Makes the handler.
   *
   * @param settings of the nodes: {@code rest.action.multi.allow_explicit_index} is read
   */
  BulkLinesAction(Settings settings, StreamedBulks streamed) {
    super(settings);
    this.allowExplicitIndex = MULTI_ALLOW_EXPLICIT_INDEX.get(settings);
    this.streamed = streamed;
  }

  @Override
  public RestChannelConsumer prepareRequest(RestRequest request, NodeClient client)
      throws IOException {
    BulkReading reading = new BulkReading(request, allowExplicitIndex);
    BytesReference body = request.requiredContent();
    RestExchange exchange = ExchangeHttpChannel.of(request).exchange();
    SectionedBody sections = exchange.http().sections();
    if (sections == null) {
      BulkRequest bulk = reading.read(body, exchange::pay);
      return channel -> client.bulk(bulk, new RestStatusToXContentListener<>(channel));
    }
    StreamedSection first = new StreamedSection(exchange.memory(), sections.first(), 0);
    exchange.onOver(first::abandon);
    MemoryRefusal refused = first.pay(false);
    if (refused != null) {
      throw RequestFrames.exception(refused);
    }
    first.read(reading);
    return channel ->
        new BulkStream(exchange, channel, (GatewayNodeClient) client, reading, streamed)
            .begin(sections, first);
  }
}
