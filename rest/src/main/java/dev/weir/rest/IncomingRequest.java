package dev.weir.rest;

import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.common.util.BigArrays;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.http.HttpRequest;
import org.opensearch.rest.RestRequest;

/**
 * What an exchange's request comes to before a handler is looked for: the request, the channel for
 * its answer, and what is wrong with its head. What is wrong is left out of the request, so that
 * there is always one to answer, as in {@code AbstractHttpServerTransport#handleIncomingRequest};
 * that closes the connection where two things are wrong at once, this answers.
 */
final class IncomingRequest {
  private final RestExchange exchange;
  private final NamedXContentRegistry xContents;
  private final RestRequest request;
  private final ExchangeRestChannel channel;
  private HttpRequest http;
  private @Nullable Exception bad;

  IncomingRequest(RestExchange exchange, NamedXContentRegistry xContents, BigArrays pages) {
    this.exchange = exchange;
    this.xContents = xContents;
    this.http = new ExchangeHttpRequest(exchange.http());
    this.request = request();
    this.channel = channel(pages);
    try {
      exchange.readDeadline();
    } catch (IllegalArgumentException e) {
      blame(e);
    }
  }

  private RestRequest request() {
    try {
      return RestRequest.request(xContents, http, exchange.channel());
    } catch (RestRequest.ContentTypeHeaderException e) {
      blame(e);
      http = http.removeHeader("Content-Type");
      return request();
    } catch (RestRequest.BadParameterException e) {
      blame(e);
      return withoutParameters();
    }
  }

  private RestRequest withoutParameters() {
    try {
      return RestRequest.requestWithoutParameters(xContents, http, exchange.channel());
    } catch (RestRequest.ContentTypeHeaderException e) {
      blame(e);
      http = http.removeHeader("Content-Type");
      return withoutParameters();
    }
  }

  private ExchangeRestChannel channel(BigArrays pages) {
    try {
      return new ExchangeRestChannel(request, exchange, pages);
    } catch (IllegalArgumentException e) {
      blame(e);
      return new ExchangeRestChannel(withoutParameters(), exchange, pages);
    }
  }

  private void blame(Exception e) {
    bad = ExceptionsHelper.useOrSuppress(bad, e);
  }

  RestRequest parsed() {
    return request;
  }

  ExchangeRestChannel answers() {
    return channel;
  }

  /** What is wrong with the request's head; null when nothing is. */
  @Nullable Exception bad() {
    return bad;
  }
}
