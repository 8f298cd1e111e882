package dev.weir.http.exchange;

import dev.weir.http.connection.ClientConnection;
import dev.weir.http.connection.ExchangeChannel;
import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.http.intake.RequestRoute;
import dev.weir.model.PassThroughObserver;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import org.jspecify.annotations.Nullable;

/**
 * What an observer sees of one request that passes through, and of its response; nothing where
 * nobody observes it. The observer gets one end: the complete response, a failure or a disconnect.
 * Confined to the request's event loop.
 */
final class ProxiedExchangeObservation {
  private PassThroughObserver.@Nullable ExchangeObserver observer;

  /**
   * Offers the request to an observer.
   *
   * @param whole the request's body, borrowed; null when it follows
   */
  void start(PassThroughObserver offered, RequestRoute route, @Nullable ByteBuf whole) {
    HttpRequest request = route.request();
    ExchangeChannel channel = route.channel();
    ClientConnection connection = channel.connection();
    observer =
        offered.observe(
            new PassThroughObserver.Head(
                request.method().name(),
                request.uri(),
                route.originalUri(),
                channel.protocolName(),
                request.headers().entries(),
                whole == null ? HttpHeaderRules.contentLength(request) : whole.readableBytes(),
                route.tenant(),
                connection.remoteAddress(),
                connection.localAddress()));
    if (whole != null) {
      onRequestBody(whole);
    }
  }

  void onRequestBody(ByteBuf part) {
    if (observer != null && part.isReadable()) {
      observer.onRequestBody(part.nioBuffer());
    }
  }

  void onHead(HttpResponseStatus status, HttpHeaders headers) {
    if (observer != null) {
      observer.onHead(
          status.code(),
          headers.get(HttpHeaderNames.CONTENT_TYPE, ""),
          headers.get(HttpHeaderNames.CONTENT_ENCODING, ""));
    }
  }

  void onContent(ByteBuf content) {
    if (observer != null) {
      observer.onContent(content.nioBuffer());
    }
  }

  /**
   * The node's whole response is about to be flushed, which may end the exchange.
   *
   * @return reports that to the observer; run it when nothing is left to do for the client
   */
  Runnable complete() {
    PassThroughObserver.ExchangeObserver ending = end();
    return ending == null ? () -> {} : ending::onComplete;
  }

  /** No response of the node came, or not all of it. */
  void onFailure(int status) {
    PassThroughObserver.ExchangeObserver ending = end();
    if (ending != null) {
      ending.onFailure(status);
    }
  }

  /** The client disconnected before it had the whole response. */
  void onDisconnect() {
    PassThroughObserver.ExchangeObserver ending = end();
    if (ending != null) {
      ending.onDisconnect();
    }
  }

  private PassThroughObserver.@Nullable ExchangeObserver end() {
    PassThroughObserver.ExchangeObserver ending = observer;
    observer = null;
    return ending;
  }
}
