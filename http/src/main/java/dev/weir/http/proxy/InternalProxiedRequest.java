package dev.weir.http.proxy;

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
 * A request of the gateway's own on its way through to a node, with the headers of the client that
 * it was copied from: the node checks these as if the client had come by itself. Its answer is
 * taken as fast as it comes. Confined to its event loop.
 */
public final class InternalProxiedRequest implements DownstreamHandler {
  private static final String TRACE_STATE = "tracestate";

  private final NodeResponseListener responseParts;
  private @Nullable ProxiedRequest proxied;
  private boolean finished;

  private InternalProxiedRequest(NodeResponseListener answer) {
    this.responseParts = answer;
  }

  /**
   * Sends a request; its answer may be heard of before this returns.
   *
   * @param loop where it lives; the caller is there
   * @param request whose body is decoded
   * @return stops it, unless it is over: then nothing more is heard. Used on the loop
   */
  public static Runnable send(
      NodeProxy proxy, EventLoop loop, HttpExchange request, NodeResponseListener answer) {
    InternalProxiedRequest opened = new InternalProxiedRequest(answer);
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

  /** Those of the client, without what concerns its body, its trace and how it wants the answer. */
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

  /** Nothing: the body is whole. */
  @Override
  public void pauseBody() {}

  /** Nothing: the body is whole. */
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

  /** Nothing: there is nobody to flush to. */
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
