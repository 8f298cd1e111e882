package dev.weir.http;

import dev.weir.http.connection.ClientConnection;
import dev.weir.http.connection.ClientNetwork;
import dev.weir.http.connection.ClientPeer;
import dev.weir.http.connection.ConnectionCounts;
import dev.weir.http.connection.EventLoopConnections;
import dev.weir.http.connection.LingeringCloseHandler;
import dev.weir.http.connection.MonitoredConnection;
import dev.weir.http.connection.ServerContext;
import dev.weir.http.options.HttpTimeouts;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameCodec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's HTTP/2 connection: closes it when it is idle and drains it. Each stream of it is a
 * {@link ClientConnection} of its own. Confined to its event loop.
 */
final class Http2Session extends ChannelInboundHandlerAdapter implements MonitoredConnection {

  /** The window of a connection that starts, in bytes, which no server can lower. */
  static final int INITIAL_WINDOW = 65_535;

  private static final Logger LOG = LoggerFactory.getLogger(Http2Session.class);

  private final ServerContext server;
  private final Http2FrameCodec codec;
  private @Nullable ChannelHandlerContext ctx;
  private @Nullable EventLoopConnections loopConnections;
  private long lastBusyNanos;
  private boolean closing;

  Http2Session(ServerContext server, Http2FrameCodec codec) {
    this.server = server;
    this.codec = codec;
    this.lastBusyNanos = server.nanoTime();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
    loopConnections = server.connectionsOf(context.channel().eventLoop());
    loopConnections.add(this);
    int more = server.sessionWindowBytes() - INITIAL_WINDOW;
    if (more > 0) {
      context.writeAndFlush(new DefaultHttp2WindowUpdateFrame(more));
    }
    if (server.isDraining()) {
      drain();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (loopConnections != null) {
      loopConnections.remove(this);
    }
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("connection from {} failed", context.channel().remoteAddress(), cause);
    if (Http2CodecUtil.getEmbeddedHttp2Exception(cause) == null) {
      context.close();
    } else { // the codec sends GOAWAY with the error's code, and closes
      closing = true;
      LingeringCloseHandler lingering = context.pipeline().get(LingeringCloseHandler.class);
      if (lingering != null) {
        lingering.linger();
      }
    }
  }

  @Override
  public void checkTimeouts(long nowNanos) {
    long since = idleSinceNanos(nowNanos);
    HttpTimeouts timeouts = server.options().timeouts();
    if (!closing && ctx != null && server.tryMoveAway(ctx.channel().eventLoop())) {
      drain(); // the client opens another connection, on a better loop
    }
    if (since == BUSY || closing) {
      return;
    }
    if (nowNanos - since > timeouts.idle().toNanos()) {
      drain(); // frames other than those of requests do not keep the connection open
    } else if (codec.connection().remote().lastStreamCreated() == 0
        && nowNanos - since > timeouts.headers().toNanos()) {
      server.counts().increment(ConnectionCounts.Reason.HTTP2_WITHOUT_REQUEST);
      drain();
    }
  }

  @Override
  public long idleSinceNanos(long nowNanos) {
    if (codec.connection().numActiveStreams() > 0) {
      lastBusyNanos = nowNanos;
      return BUSY;
    }
    return lastBusyNanos;
  }

  @Override
  public ClientNetwork network() {
    return ctx == null ? ClientNetwork.of(null) : ClientPeer.networkOf(ctx.channel());
  }

  @Override
  public long readRate() {
    return UNKNOWN_RATE; // each stream is measured
  }

  @Override
  public void evict() {
    drain();
  }

  /** Sends GOAWAY; the connection closes when the last stream has ended. */
  @Override
  public void drain() {
    if (!closing && ctx != null) {
      closing = true;
      ctx.close();
    }
  }

  @Override
  public void closeNow() {
    closing = true;
    ChannelHandlerContext frames = ctx == null ? null : ctx.pipeline().context(codec);
    if (frames != null) {
      // Bypasses the codec, whose close() waits for the streams.
      frames.close();
    }
  }
}
