package dev.weir.http;

import dev.weir.http.proxy.NodeProxy;
import dev.weir.http.proxy.Passage;
import dev.weir.http.proxy.ProxyClient;
import dev.weir.http.proxy.ProxyFailure;
import dev.weir.http.proxy.ProxyRequest;
import dev.weir.model.AnswerParts;
import dev.weir.model.HttpExchange;
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
public final class InnerPassage implements ProxyClient {
  private static final String TRACE_STATE = "tracestate";

  private final AnswerParts answer;
  private @Nullable Passage passage;
  private boolean over;

  private InnerPassage(AnswerParts answer) {
    this.answer = answer;
  }

  /**
   * Sends a request; its answer may be heard of before this returns.
   *
   * @param loop where it lives; the caller is there
   * @param request whose body is decoded
   * @return stops it, unless it is over: then nothing more is heard. Used on the loop
   */
  public static Runnable open(
      NodeProxy proxy, EventLoop loop, HttpExchange request, AnswerParts answer) {
    InnerPassage opened = new InnerPassage(answer);
    ByteBuf body =
        request.body().hasRemaining()
            ? Unpooled.wrappedBuffer(request.body())
            : Unpooled.EMPTY_BUFFER;
    ProxyRequest onward =
        new ProxyRequest(
            HttpMethod.valueOf(request.method()),
            OwnParameters.removed(request.uri()),
            headers(request, body.readableBytes()),
            body);
    opened.along(proxy.open(loop, onward, opened));
    return opened::stop;
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

  private void along(Passage opened) {
    passage = opened;
    if (over) {
      opened.abort();
    }
  }

  private void stop() {
    over = true;
    if (passage != null) {
      passage.abort();
    }
  }

  // ProxyClient.

  /** Nothing: the body is whole. */
  @Override
  public void pauseBody() {}

  /** Nothing: the body is whole. */
  @Override
  public void resumeBody() {}

  @Override
  public void onHead(HttpResponseStatus status, HttpHeaders headers) {
    if (!over) {
      answer.head(
          status.code(),
          headers.get(HttpHeaderNames.CONTENT_TYPE, ""),
          headers.get(HttpHeaderNames.CONTENT_ENCODING, ""));
    }
  }

  @Override
  public void onContent(ByteBuf content) {
    try {
      if (!over && !answer.content(content.nioBuffer())) {
        stop();
        answer.end();
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
    if (!over) {
      over = true;
      answer.end();
    }
  }

  @Override
  public void onFailure(ProxyFailure failure) {
    if (!over) {
      over = true;
      answer.broken(failure.status());
    }
  }

  @Override
  public boolean writable() {
    return true;
  }
}
