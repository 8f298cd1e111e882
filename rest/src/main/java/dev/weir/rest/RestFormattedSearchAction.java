package dev.weir.rest;

import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.model.SamplingSpec;
import dev.weir.rest.parameters.SampleParameters;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ClearScrollAction;
import org.opensearch.action.search.ClearScrollRequest;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.core.action.ActionListener;
import org.opensearch.rest.RestChannel;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;
import org.opensearch.rest.action.RestResponseListener;
import org.opensearch.rest.action.RestStatusToXContentListener;
import org.opensearch.rest.action.search.RestSearchAction;
import org.opensearch.transport.client.node.NodeClient;

/**
 * OpenSearch's handler of searches, with further {@linkplain SearchResponseFormats response
 * formats} and sampling. Such a search is parsed like any other, with the same errors. It never
 * passes through to a node, which would respond in another format. Any other search does where
 * nodes stream searches, or reject them because they cannot.
 */
final class RestFormattedSearchAction extends RestSearchAction implements OwnFormatHandler {
  private final SearchResponseFormats formats;
  private final BooleanSupplier streamSearch;

  RestFormattedSearchAction(SearchResponseFormats forms, BooleanSupplier streamSearch) {
    this.formats = forms;
    this.streamSearch = streamSearch;
  }

  @Override
  public boolean isNodeFormat(RestRequest request) {
    try {
      return SampleParameters.read(request) == null && formats.requestedFormat(request) == null;
    } catch (RuntimeException invalid) {
      return false; // an error of the gateway's own parameters
    }
  }

  @Override
  public RestChannelConsumer prepareRequest(RestRequest request, NodeClient client)
      throws IOException {
    SamplingSpec sample = SampleParameters.read(request);
    RestExchange exchange = ExchangeHttpChannel.of(request).exchange();
    if (sample != null) {
      exchange.content().requireFormat(SampleParameters.FORMAT);
      exchange.content().setSample(sample);
    }
    SearchResponseFormat form = formats.requestedFormat(request);
    if (form != null) {
      exchange.content().requireFormat(form.name());
    }
    SearchRequest search = parse(request, client);
    if (exchange.content().requiredFormat() == null && streamSearch.getAsBoolean()) {
      throw new PassThroughException(PassThroughReasons.NODE_SETTING);
    }
    if (form != null) {
      form.prepareRequest(search);
      if (form.canReadColumns()) {
        exchange.content().readColumns();
      }
    }
    GatewayNodeClient gateway = (GatewayNodeClient) client;
    return channel ->
        gateway.executeUntilDisconnect(
            SearchAction.INSTANCE,
            search,
            exchange,
            form == null
                ? new RestStatusToXContentListener<>(channel)
                : formattedResponse(form, request, gateway, channel));
  }

  private static SearchRequest parse(RestRequest request, NodeClient client) throws IOException {
    SearchRequest search = new SearchRequest();
    request.withContentOrSourceParamParserOrNull(parser ->
        parseSearchRequest(
            search,
            request,
            parser,
            client.getNamedWriteableRegistry(),
            size -> search.source().size(size)));
    return search;
  }

  private static ActionListener<SearchResponse> formattedResponse(
      SearchResponseFormat form,
      RestRequest request,
      GatewayNodeClient client,
      RestChannel channel) {
    RestExchange exchange = ExchangeHttpChannel.of(request).exchange();
    return new RestResponseListener<>(channel) {
      @Override
      public RestResponse buildResponse(SearchResponse answer) throws IOException {
        try {
          return form.writeResponse(answer, request, exchange::newOutput);
        } catch (IOException | RuntimeException failure) {
          clearScroll(answer.getScrollId(), exchange, client);
          throw failure;
        }
      }
    };
  }

  /** Frees the search contexts of a scroll: a client that gets an error gets no id to do so. */
  private static void clearScroll(
      @Nullable String id, RestExchange exchange, GatewayNodeClient client) {
    if (id == null) {
      return;
    }
    ClearScrollRequest clear = new ClearScrollRequest();
    clear.addScrollId(id);
    RequestContext context = exchange.contexts().createDetached(client.nextRequestNumber());
    client.executePart(
        ClearScrollAction.INSTANCE, clear, context, ActionListener.wrap(context::end));
  }
}
