package dev.weir.http.proxy;

import dev.weir.http.identity.ForwardedForAppender;
import dev.weir.model.HttpExchange;
import dev.weir.model.NodeResponseListener;
import dev.weir.model.TraceParent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that the gateway itself sends to a node with the headers of the client request it was
 * copied from, so that the node authenticates the client. Reads the response without backpressure.
 * Confined to its event loop.
 */
public final class InternalProxiedRequest implements DownstreamHandler {
  private static final String TRACE_STATE = "tracestate";

  private final NodeResponseListener responseParts;
  private @Nullable ProxiedRequest proxied;
  private boolean finished;

  private InternalProxiedRequest(NodeResponseListener listener) {
    this.responseParts = listener;
  }

  /**
   * Sends a copy of a request. The listener may be called before this returns.
   *
   * @param loop runs the request; the caller is on it
   * @param request has a decoded body
   * @return cancels the request unless it has ended; the listener is not called afterwards. Run on
   *     the loop
   */
  public static Runnable send(
      NodeProxy proxy, EventLoop loop, HttpExchange request, NodeResponseListener listener) {
    InternalProxiedRequest opened = new InternalProxiedRequest(listener);
    ByteBuf body =
        request.body().hasRemaining()
            ? Unpooled.wrappedBuffer(request.body())
            : Unpooled.EMPTY_BUFFER;
    UpstreamRequest onward =
        new UpstreamRequest(
            HttpMethod.valueOf(request.method()),
            GatewayParameterStripper.strip(request.uri()),
            headers(request, body.readableBytes()),
            body);
    opened.attach(proxy.open(loop, onward, opened));
    return opened::abort;
  }

  /**
   * Copies the client's headers, except those about its body, its trace and its response's format,
   * and adds its address.
   */
  private static HttpHeaders headers(HttpExchange request, int length) {
    HttpHeaders headers = DefaultHttpHeadersFactory.headersFactory().newHeaders();
    for (Map.Entry<String, String> header : request.headers()) {
      headers.add(header.getKey(), header.getValue());
    }
    headers
        .remove(HttpHeaderNames.TRANSFER_ENCODING)
        .remove(HttpHeaderNames.CONTENT_LENGTH)
        .remove(HttpHeaderNames.ACCEPT_ENCODING)
        .remove(TraceParent.HEADER)
        .remove(TRACE_STATE);
    ForwardedForAppender.append(headers, request.remoteAddress());
    if (length > 0) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(length));
    }
    return headers;
  }

  private void attach(ProxiedRequest opened) {
    proxied = opened;
    if (finished) {
      opened.abort();
    }
  }

  private void abort() {
    finished = true;
    if (proxied != null) {
      proxied.abort();
    }
  }

  // DownstreamHandler.

  /** Does nothing: the body is sent whole. */
  @Override
  public void pauseBody() {}

  /** Does nothing: the body is sent whole. */
  @Override
  public void resumeBody() {}

  @Override
  public void onHeaders(HttpResponseStatus status, HttpHeaders headers) {
    if (!finished) {
      responseParts.onHead(
          status.code(),
          headers.get(HttpHeaderNames.CONTENT_TYPE, ""),
          headers.get(HttpHeaderNames.CONTENT_ENCODING, ""));
    }
  }

  @Override
  public void onContent(ByteBuf content) {
    try {
      if (!finished && !responseParts.onContent(content.nioBuffer())) {
        abort();
        responseParts.onComplete();
      }
    } finally {
      content.release();
    }
  }

  /** Does nothing: no client has to be flushed. */
  @Override
  public void onReadComplete() {}

  @Override
  public void onEnd() {
    if (!finished) {
      finished = true;
      responseParts.onComplete();
    }
  }

  @Override
  public void onFailure(ProxyFailure failure) {
    if (!finished) {
      finished = true;
      responseParts.onFailure(failure.status());
    }
  }

  @Override
  public boolean isWritable() {
    return true;
  }
}
