package dev.weir.rest;

import dev.weir.model.SampleWish;
import java.io.IOException;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;
import org.opensearch.rest.action.RestCancellableNodeClient;
import org.opensearch.rest.action.RestResponseListener;
import org.opensearch.rest.action.search.RestSearchAction;
import org.opensearch.transport.client.node.NodeClient;

/**
 * OpenSearch's handler of searches, whose answers may have other {@linkplain AnswerForms forms}, or
 * be estimated. Such a search is parsed alike, and fails alike; it never passes through to a node,
 * which would give another answer than was asked for.
 */
final class FormedSearchAction extends RestSearchAction {
  private final AnswerForms forms;

  FormedSearchAction(AnswerForms forms) {
    this.forms = forms;
  }

  @Override
  public RestChannelConsumer prepareRequest(RestRequest request, NodeClient client)
      throws IOException {
    SampleWish sample = SampleParameters.read(request);
    RestExchange exchange = ExchangeHttpChannel.of(request).exchange();
    if (sample != null) {
      exchange.answerHereAlone(SampleParameters.FORM);
      exchange.samples(sample);
    }
    AnswerForm form = forms.asked(request);
    if (form == null) {
      return super.prepareRequest(request, client);
    }
    exchange.answerHereAlone(form.name());
    SearchRequest search = new SearchRequest();
    request.withContentOrSourceParamParserOrNull(parser ->
        parseSearchRequest(
            search,
            request,
            parser,
            client.getNamedWriteableRegistry(),
            size -> search.source().size(size)));
    form.prepare(search);
    return channel ->
        new RestCancellableNodeClient(client, request.getHttpChannel())
            .execute(
                SearchAction.INSTANCE,
                search,
                new RestResponseListener<SearchResponse>(channel) {
                  @Override
                  public RestResponse buildResponse(SearchResponse answer) throws IOException {
                    return form.write(answer, request, exchange::output);
                  }
                });
  }
}
