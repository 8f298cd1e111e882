package dev.weir.http;

import dev.weir.http.connection.ConnectionCounts;
import dev.weir.http.connection.ServerContext;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2PingFrame;
import io.netty.handler.codec.http2.Http2PriorityFrame;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.util.ReferenceCountUtil;

/**
 * Closes an HTTP/2 connection, with GOAWAY, whose client sends more than {@value #MAX_FRAMES} PING,
 * SETTINGS and PRIORITY frames within ten seconds: each costs an answer and serves no request. The
 * codec bounds the other kinds. Confined to its event loop.
 */
final class Http2ControlFrameLimiter extends ChannelInboundHandlerAdapter {
  static final int MAX_FRAMES = 1000;

  private static final long WINDOW_NANOS = 10_000_000_000L;

  private final ServerContext server;
  private final Http2FrameCodec codec;
  private long windowStartNanos;
  private int frames;

  Http2ControlFrameLimiter(ServerContext server, Http2FrameCodec codec) {
    this.server = server;
    this.codec = codec;
    this.windowStartNanos = server.nanoTime();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (isControlFrame(message) && !count(ctx)) {
      ReferenceCountUtil.release(message);
    } else {
      ctx.fireChannelRead(message);
    }
  }

  private static boolean isControlFrame(Object message) {
    return message instanceof Http2PingFrame
        || message instanceof Http2SettingsFrame
        || message instanceof Http2PriorityFrame;
  }

  /** Counts a frame; returns false when it is one too many. */
  private boolean count(ChannelHandlerContext ctx) {
    if (++frames <= MAX_FRAMES) {
      return true;
    }
    long now = server.nanoTime();
    if (now - windowStartNanos > WINDOW_NANOS) {
      windowStartNanos = now;
      frames = 1;
      return true;
    }
    ChannelHandlerContext frameContext = ctx.pipeline().context(codec);
    if (frames == MAX_FRAMES + 1 && frameContext != null) {
      server.counts().increment(ConnectionCounts.Reason.CONTROL_FRAMES);
      codec.onError(
          frameContext,
          false,
          Http2Exception.connectionError(
              Http2Error.ENHANCE_YOUR_CALM,
              "got more than %d control frames within 10 s",
              MAX_FRAMES));
    }
    return false;
  }
}
