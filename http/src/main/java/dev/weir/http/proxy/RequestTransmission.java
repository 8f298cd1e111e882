package dev.weir.http.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * Writes a request to its current connection. It has a progress of its own, because a node may
 * respond before it has the whole body. Confined to the request's event loop.
 *
 * <pre>
 *   NOTHING --> HEAD --> PARTS_OF_BODY --> COMPLETE
 *      ^         `----------------------------^
 *      `---- write of the head failed, or the request goes to another connection
 * </pre>
 */
final class RequestTransmission {
  /** How much of the request was written to the current connection. */
  private enum Sent {
    NOTHING,
    HEAD,
    PARTS_OF_BODY,
    COMPLETE
  }

  private enum Flow {
    FLOWING,
    PAUSED
  }

  private final UpstreamRequest request;
  private final DownstreamHandler client;
  private Sent sent = Sent.NOTHING;
  private Flow bodyFlow = Flow.FLOWING;

  RequestTransmission(UpstreamRequest request, DownstreamHandler client) {
    this.request = request;
    this.client = client;
  }

  /** Keeps the rest of a body that still arrives with the client until there is a connection. */
  void awaitConnection() {
    if (request.isStreaming()) {
      pauseBody();
    }
  }

  /**
   * Writes the request, or its headers if the body follows.
   *
   * @param listener called when this was written, or failed to be; perhaps before this returns
   */
  void start(ChannelHandlerContext to, ChannelFutureListener listener) {
    ByteBuf body = request.body();
    if (body == null) {
      sent = Sent.HEAD;
      to.writeAndFlush(
              new DefaultHttpRequest(
                  HttpVersion.HTTP_1_1, request.method(), request.uri(), request.headers()))
          .addListener(listener);
    } else {
      sent = Sent.COMPLETE;
      to.writeAndFlush(
              new DefaultFullHttpRequest(
                  HttpVersion.HTTP_1_1,
                  request.method(),
                  request.uri(),
                  body.retainedDuplicate(),
                  request.headers(),
                  EmptyHttpHeaders.INSTANCE))
          .addListener(listener);
    }
  }

  /** Called when what {@link #start} wrote did not leave: a node ignores an incomplete write. */
  void onStartFailed() {
    if (!request.isStreaming() || sent == Sent.HEAD) {
      sent = Sent.NOTHING;
    }
  }

  /** Forgets what the current connection got: the request goes to another one. */
  void restart() {
    sent = Sent.NOTHING;
  }

  /** Writes a part of the body, borrowed. */
  void writePart(ChannelHandlerContext to, ByteBuf part) {
    if (sent != Sent.COMPLETE) {
      sent = Sent.PARTS_OF_BODY;
    }
    to.writeAndFlush(new DefaultHttpContent(part.retain()));
  }

  void writeEnd(ChannelHandlerContext to) {
    sent = Sent.COMPLETE;
    to.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
  }

  void pauseBody() {
    if (bodyFlow == Flow.FLOWING) {
      bodyFlow = Flow.PAUSED;
      client.pauseBody();
    }
  }

  void resumeBody() {
    if (bodyFlow == Flow.PAUSED) {
      bodyFlow = Flow.FLOWING;
      client.resumeBody();
    }
  }

  /** Returns whether the headers are all that was written. */
  boolean isHeadOnly() {
    return sent == Sent.HEAD;
  }

  boolean isComplete() {
    return sent == Sent.COMPLETE;
  }

  boolean isBodyPaused() {
    return bodyFlow == Flow.PAUSED;
  }

  /** Returns whether the whole request can still be sent, as no connection got any of it. */
  boolean isUntouched() {
    return sent == Sent.NOTHING && (bodyFlow == Flow.PAUSED || !request.isStreaming());
  }
}
