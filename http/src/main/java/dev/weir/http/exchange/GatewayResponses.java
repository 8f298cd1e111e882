package dev.weir.http.exchange;

import dev.weir.http.connection.ExchangeChannel;
import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.http.intake.RequestRoute;
import dev.weir.http.response.BufferedResponseWriter;
import dev.weir.http.response.ContentCoding;
import dev.weir.http.response.ResponseWriter;
import dev.weir.http.response.StreamingResponseWriter;
import dev.weir.model.BufferedResponse;
import dev.weir.model.ResponseBody;
import dev.weir.model.StreamingResponse;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates the headers and the writers of responses that the gateway makes itself. */
final class GatewayResponses {
  private GatewayResponses() {}

  /**
   * Creates a response's headers, without those of its length and its connection.
   *
   * @param route whose destination tells its nodes' version; null for a request that was not routed
   * @throws IllegalArgumentException when a header can't be sent as it is
   */
  static HttpHeaders headers(
      ExchangeChannel channel, @Nullable RequestRoute route, BufferedResponse response) {
    Supplier<String> own = route == null ? null : route.serverVersion();
    Supplier<String> version = own == null ? channel.options().serverVersion() : own;
    return HttpHeaderRules.responseHeaders(channel.request(), response, version.get());
  }

  /** Creates the writer of a buffered response, which it owns. */
  static ResponseWriter buffered(
      ExchangeChannel channel, BufferedResponse response, HttpHeaders headers) {
    ContentCoding coding = chooseCoding(channel, headers);
    channel.addConnectionHeaders(headers);
    return new BufferedResponseWriter(
        channel,
        HttpResponseStatus.valueOf(response.status()),
        headers,
        response.body(),
        response.onReleased(),
        coding);
  }

  /** Creates the writer of a streaming response, which it owns. */
  static ResponseWriter streaming(
      ExchangeChannel channel, StreamingResponse response, HttpHeaders headers) {
    channel.addConnectionHeaders(headers);
    return new StreamingResponseWriter(channel, response, headers, chooseCoding(channel, headers));
  }

  /** Creates the writer of a response of nothing but a status, as Netty's aggregator gives it. */
  static ResponseWriter bare(ExchangeChannel channel, HttpResponseStatus status) {
    HttpHeaders headers = DefaultHttpHeadersFactory.headersFactory().newHeaders();
    channel.announceCloseIfClosing();
    channel.addConnectionHeaders(headers);
    return new BufferedResponseWriter(channel, status, headers, ResponseBody.EMPTY, () -> {}, null);
  }

  private static @Nullable ContentCoding chooseCoding(
      ExchangeChannel channel, HttpHeaders headers) {
    return HttpHeaderRules.chooseCoding(channel.request(), headers, channel.compression());
  }
}
