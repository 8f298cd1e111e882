package dev.weir.gateway.parse;

import java.io.IOException;
import java.util.List;
import java.util.function.LongConsumer;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.support.ActiveShardCount;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.action.RestStatusToXContentListener;
import org.opensearch.rest.action.document.RestBulkAction;
import org.opensearch.search.fetch.subphase.FetchSourceContext;
import org.opensearch.transport.client.node.NodeClient;

/**
 * OpenSearch's handler of bulks, reading ordinary bodies with {@link BulkLines}: parameters in the
 * same order, with the same errors.
 */
final class BulkLinesAction extends RestBulkAction {
  private final boolean allowExplicitIndex;

  /**
   * Makes the handler.
   *
   * @param settings of the nodes: {@code rest.action.multi.allow_explicit_index} is read
   */
  BulkLinesAction(Settings settings) {
    super(settings);
    this.allowExplicitIndex = MULTI_ALLOW_EXPLICIT_INDEX.get(settings);
  }

  @Override
  public RestChannelConsumer prepareRequest(RestRequest request, NodeClient client)
      throws IOException {
    BulkRequest bulk = new BulkRequest();
    String index = request.param("index");
    String routing = request.param("routing");
    FetchSourceContext source = FetchSourceContext.parseFromRestRequest(request);
    String pipeline = request.param("pipeline");
    String activeShards = request.param("wait_for_active_shards");
    if (activeShards != null) {
      bulk.waitForActiveShards(ActiveShardCount.parseString(activeShards));
    }
    Boolean requireAlias = request.paramAsBoolean(DocWriteRequest.REQUIRE_ALIAS, (Boolean) null);
    bulk.timeout(request.paramAsTime("timeout", BulkShardRequest.DEFAULT_TIMEOUT));
    bulk.setRefreshPolicy(request.param("refresh"));
    BytesReference body = request.requiredContent();
    BulkLines.Defaults defaults =
        new BulkLines.Defaults(
            index, routing, pipeline, Boolean.TRUE.equals(requireAlias), allowExplicitIndex);
    BulkPrice price = new BulkPrice(ExchangeHttpChannel.of(request).exchange()::pay);
    if (!addOrdinary(bulk, body, request, defaults, price)) {
      price.rest(body);
      bulk.add(
          body,
          index,
          routing,
          source,
          pipeline,
          requireAlias,
          allowExplicitIndex,
          request.getMediaType());
    }
    return channel -> client.bulk(bulk, new RestStatusToXContentListener<>(channel));
  }

  private static boolean addOrdinary(
      BulkRequest bulk,
      BytesReference body,
      RestRequest request,
      BulkLines.Defaults defaults,
      LongConsumer payer) {
    if (!(body instanceof BytesArray array) || request.getMediaType() != XContentType.JSON) {
      return false;
    }
    List<IndexRequest> requests = BulkLines.read(array, defaults, payer);
    if (requests == null) {
      return false;
    }
    requests.forEach(bulk::add);
    return true;
  }
}
