package dev.weir.rest;

import dev.weir.model.NodeRequestRules;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.common.util.BigArrays;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.rest.RestRequest;

/**
 * Parses an exchange's request line and headers before a handler is selected: the request, the
 * channel of its response, and its error. An invalid part is left out of the request, so that there
 * is always a request to respond to, as in {@code
 * AbstractHttpServerTransport#handleIncomingRequest}. That method closes the connection after two
 * errors at once; the gateway responds.
 */
final class RestRequestParser {
  private final RestExchange exchange;
  private final NamedXContentRegistry xContents;
  private final NodeRequestRules nodeRules;
  private final RestRequest request;
  private final ExchangeRestChannel channel;
  private ExchangeHttpRequest http;
  private @Nullable Exception parseFailure;

  RestRequestParser(
      RestExchange exchange,
      NamedXContentRegistry xContents,
      BigArrays pages,
      NodeRequestRules nodeRules) {
    this.nodeRules = nodeRules;
    this.exchange = exchange;
    this.xContents = xContents;
    this.http = new ExchangeHttpRequest(exchange.http());
    this.request = parseRequest();
    this.channel = createChannel(pages);
    try {
      exchange.contexts().readDeadline();
    } catch (IllegalArgumentException e) {
      recordFailure(e);
    }
  }

  private RestRequest parseRequest() {
    try {
      return http.parse(xContents, exchange.channel());
    } catch (RestRequest.ContentTypeHeaderException e) {
      recordFailure(e);
      http = http.removeHeader("Content-Type");
      return parseRequest();
    } catch (RestRequest.BadParameterException e) {
      recordFailure(e);
      return withoutParameters();
    }
  }

  private RestRequest withoutParameters() {
    try {
      return RestRequest.requestWithoutParameters(xContents, http, exchange.channel());
    } catch (RestRequest.ContentTypeHeaderException e) {
      recordFailure(e);
      http = http.removeHeader("Content-Type");
      return withoutParameters();
    }
  }

  private ExchangeRestChannel createChannel(BigArrays pages) {
    try {
      return new ExchangeRestChannel(request, exchange, pages, nodeRules);
    } catch (IllegalArgumentException e) {
      recordFailure(e);
      return new ExchangeRestChannel(withoutParameters(), exchange, pages, nodeRules);
    }
  }

  private void recordFailure(Exception e) {
    parseFailure = ExceptionsHelper.useOrSuppress(parseFailure, e);
  }

  RestRequest restRequest() {
    return request;
  }

  ExchangeRestChannel restChannel() {
    return channel;
  }

  /** Returns the error in the request line or headers; null if there is none. */
  @Nullable Exception parseFailure() {
    return parseFailure;
  }
}
