package dev.weir.http;

import dev.weir.http.connection.ClientConnection;
import dev.weir.http.connection.ClientPeer;
import dev.weir.http.connection.ConnectionCounts;
import dev.weir.http.connection.EventLoopConnections;
import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.http.connection.InboundByteQueue;
import dev.weir.http.connection.LingeringCloseHandler;
import dev.weir.http.connection.ReadTimestampHandler;
import dev.weir.http.connection.ServerContext;
import dev.weir.http.error.ErrorBody;
import dev.weir.http.options.HttpLimits;
import dev.weir.http.options.HttpSecurity;
import dev.weir.model.RetryAdvice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerUpgradeHandler;
import io.netty.handler.codec.http2.CleartextHttp2ServerUpgradeHandler;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ServerUpgradeCodec;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds the pipelines of accepted connections; the package's documentation draws them. */
final class ServerChannelInitializer extends ChannelInitializer<Channel> {

  private static final Logger LOG = LoggerFactory.getLogger(ServerChannelInitializer.class);
  private static final String CONNECTION_HANDLER = "connection";

  /** The largest part of a body that the codec delivers at once, in bytes. */
  private static final int MAX_CHUNK_BYTES = 64 << 10;

  /**
   * Streams that a client may reset, or make the gateway reset, within {@link
   * #RESET_WINDOW_SECONDS}; beyond it the connection is closed with GOAWAY.
   */
  private static final int MAX_RESETS = 200;

  private static final int RESET_WINDOW_SECONDS = 30;

  private final ServerContext server;

  ServerChannelInitializer(ServerContext server) {
    this.server = server;
  }

  @Override
  protected void initChannel(Channel channel) {
    SslContext tls = server.options().security().currentTls();
    EventLoopConnections siblings = server.connectionsOf(channel.eventLoop());
    HttpSecurity security = server.options().security();
    boolean isFromProxy =
        security.proxyProtocol() && security.identity().isTrusted(channel.remoteAddress());
    ConnectionCounts.Reason refusal =
        server.tryRegister(siblings, ClientPeer.networkOf(channel), isFromProxy);
    if (refusal != null) {
      channel.pipeline().addLast(new ConnectionRejectionHandler(server, refusal, tls == null));
      return;
    }
    siblings.onOpened(channel);
    channel
        .closeFuture()
        .addListener(closed -> {
          siblings.onFirstRequest(channel);
          server.unregister(ClientPeer.networkOf(channel));
        });
    ChannelPipeline pipeline = channel.pipeline().addLast(new LingeringCloseHandler());
    if (isFromProxy) {
      pipeline.addLast(new ProxyProtocolHandler(server));
    }
    ReadTimestampHandler readTimestamps =
        new ReadTimestampHandler(server.nanoClock(), () -> siblings.onFirstRequest(channel));
    if (tls == null) {
      configureHttp1(pipeline, readTimestamps);
    } else {
      pipeline.addLast(tls.newHandler(channel.alloc())).addLast(new AlpnHandler(readTimestamps));
    }
  }

  private void configureHttp1(ChannelPipeline pipeline, ReadTimestampHandler readTimestamps) {
    HttpServerCodec codec = newHttp1Codec();
    HttpServerUpgradeHandler upgrade =
        new HttpServerUpgradeHandler(
            codec,
            protocol ->
                AsciiString.contentEquals(Http2CodecUtil.HTTP_UPGRADE_PROTOCOL_NAME, protocol)
                    ? new Http2UpgradeCodec(readTimestamps)
                    : null,
            0,
            DefaultHttpHeadersFactory.headersFactory(),
            DefaultHttpHeadersFactory.trailersFactory(),
            true) {
          // Netty would gather the body of an upgrade request outside of the memory for bodies, so
          // a request with a body stays on HTTP/1.1.
          @Override
          protected boolean shouldHandleUpgradeRequest(HttpRequest request) {
            return request
                    .headers()
                    .containsValue(
                        HttpHeaderNames.UPGRADE, Http2CodecUtil.HTTP_UPGRADE_PROTOCOL_NAME, true)
                && !HttpHeaderRules.hasBody(request, HttpHeaderRules.contentLength(request));
          }
        };
    ChannelHandler priorKnowledge =
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel channel) {
            channel.pipeline().remove(CONNECTION_HANDLER);
            configureHttp2(channel.pipeline(), readTimestamps);
          }
        };
    InboundByteQueue receivedBytes = new InboundByteQueue();
    pipeline
        .addLast(readTimestamps)
        .addLast(receivedBytes)
        .addLast(new CleartextHttp2ServerUpgradeHandler(codec, upgrade, priorKnowledge))
        .addLast(CONNECTION_HANDLER, new ClientConnection(server, readTimestamps, receivedBytes));
  }

  private HttpServerCodec newHttp1Codec() {
    HttpLimits limits = server.options().limits();
    // Beyond a number of pipelined requests Netty would close the connection. Here their bytes wait
    // in the InboundByteQueue until earlier responses have left.
    return new HttpServerCodec(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(limits.maxRequestLineBytes())
            .setMaxHeaderSize(limits.maxHeaderBytes())
            .setMaxChunkSize(MAX_CHUNK_BYTES),
        Integer.MAX_VALUE);
  }

  private void configureHttp2(ChannelPipeline pipeline, ReadTimestampHandler readTimestamps) {
    Http2FrameCodec frames = newHttp2FrameCodec();
    Http2PausedStreamCloser closer = new Http2PausedStreamCloser();
    pipeline
        .addLast(frames)
        .addLast(new Http2ControlFrameLimiter(server, frames))
        .addLast(new Http2RequestValidator(frames))
        .addLast(newUnreadBytesLimiter(frames))
        .addLast(closer)
        .addLast(newStreamHandler(closer, readTimestamps))
        .addLast(new Http2Session(server, frames));
  }

  private Http2UnreadBytesLimiter newUnreadBytesLimiter(Http2FrameCodec frames) {
    return new Http2UnreadBytesLimiter(server.unreadStreams(), server.counts(), frames);
  }

  private Http2FrameCodec newHttp2FrameCodec() {
    HttpLimits limits = server.options().limits();
    Http2FrameCodec frames =
        Http2FrameCodecBuilder.forServer()
            .initialSettings(
                Http2Settings.defaultSettings()
                    .maxConcurrentStreams(limits.maxRequestsPerConnection())
                    .maxHeaderListSize(limits.maxHeaderBytes())
                    .initialWindowSize(server.streamWindowBytes()))
            .decoderEnforceMaxRstFramesPerWindow(MAX_RESETS, RESET_WINDOW_SECONDS)
            .encoderEnforceMaxRstFramesPerWindow(MAX_RESETS, RESET_WINDOW_SECONDS)
            .build();
    // HttpServer enforces its own drain deadline.
    frames.gracefulShutdownTimeoutMillis(TimeUnit.DAYS.toMillis(1));
    return frames;
  }

  private Http2MultiplexHandler newStreamHandler(
      Http2PausedStreamCloser closer, ReadTimestampHandler readTimestamps) {
    return new Http2MultiplexHandler(
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel stream) {
            closer.onOpened((Http2StreamChannel) stream);
            readTimestamps.reset(); // the preface alone is no request
            stream
                .pipeline()
                .addLast(new Http2StreamFrameToHttpObjectCodec(true))
                .addLast(CONNECTION_HANDLER, new ClientConnection(server, null, null));
          }
        });
  }

  /** Switches an HTTP/1.1 connection to HTTP/2; the upgrade request becomes the first stream. */
  private final class Http2UpgradeCodec implements HttpServerUpgradeHandler.UpgradeCodec {

    private final Http2FrameCodec frames = newHttp2FrameCodec();
    private final Http2PausedStreamCloser closer = new Http2PausedStreamCloser();
    private final Http2ServerUpgradeCodec codec;

    Http2UpgradeCodec(ReadTimestampHandler readTimestamps) {
      this.codec =
          new Http2ServerUpgradeCodec(
              frames,
              new Http2ControlFrameLimiter(server, frames),
              new Http2RequestValidator(frames),
              newUnreadBytesLimiter(frames),
              closer,
              newStreamHandler(closer, readTimestamps));
    }

    @Override
    public Collection<CharSequence> requiredUpgradeHeaders() {
      return codec.requiredUpgradeHeaders();
    }

    @Override
    public boolean prepareUpgradeResponse(
        ChannelHandlerContext ctx, FullHttpRequest request, HttpHeaders headers) {
      return codec.prepareUpgradeResponse(ctx, request, headers);
    }

    @Override
    public void upgradeTo(ChannelHandlerContext ctx, FullHttpRequest request) {
      ctx.pipeline().remove(CONNECTION_HANDLER);
      codec.upgradeTo(ctx, request);
      ctx.pipeline().addLast(new Http2Session(server, frames));
    }
  }

  /** Builds the pipeline of the protocol that TLS negotiated. */
  private final class AlpnHandler extends ApplicationProtocolNegotiationHandler {

    private final ReadTimestampHandler readTimestamps;

    AlpnHandler(ReadTimestampHandler readTimestamps) {
      super(ApplicationProtocolNames.HTTP_1_1);
      this.readTimestamps = readTimestamps;
    }

    /** Logs one line: a stack trace of the gateway does not explain a client's mistake. */
    @Override
    protected void handshakeFailure(ChannelHandlerContext ctx, Throwable cause) {
      LOG.info("TLS handshake with {} failed: {}", ctx.channel().remoteAddress(), cause.toString());
      ctx.close();
    }

    @Override
    protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
      ctx.pipeline().addLast(readTimestamps);
      if (ApplicationProtocolNames.HTTP_2.equals(protocol)) {
        configureHttp2(ctx.pipeline(), readTimestamps);
      } else {
        InboundByteQueue receivedBytes = new InboundByteQueue();
        ctx.pipeline()
            .addLast(receivedBytes)
            .addLast(newHttp1Codec())
            .addLast(
                CONNECTION_HANDLER, new ClientConnection(server, readTimestamps, receivedBytes));
      }
    }
  }

  /** Rejects a connection beyond the limit with an error response and closes it. */
  private static final class ConnectionRejectionHandler extends ChannelInboundHandlerAdapter {

    private final ServerContext server;
    private final ConnectionCounts.Reason refusal;
    private final boolean speaksHttp1;

    ConnectionRejectionHandler(
        ServerContext server, ConnectionCounts.Reason refusal, boolean speaks) {
      this.server = server;
      this.refusal = refusal;
      this.speaksHttp1 = speaks;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      if (!speaksHttp1) {
        ctx.close();
        return;
      }
      ByteBuffer body =
          new ErrorBody(503, "rejected_execution_exception", exceededLimit()).bytes(false);
      String head =
          "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
              + "content-type: application/json; charset=UTF-8\r\n"
              + "content-length: "
              + body.remaining()
              + "\r\nconnection: close\r\n\r\n";
      ByteBuf response =
          Unpooled.wrappedBuffer(ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII)), body);
      ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    private String exceededLimit() {
      int max = server.options().limits().maxConnections();
      return refusal == ConnectionCounts.Reason.ADDRESS_SHARE
          ? "got too many connections of this client (expected: at most "
              + server.options().clients().shareOf(max)
              + " of "
              + max
              + ")"
              + RetryAdvice.retry(Duration.ofSeconds(1), "http.max-address-ratio")
          : "got too many connections (expected: at most "
              + max
              + ")"
              + RetryAdvice.retry(Duration.ofSeconds(1), "http.max-connections");
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
    }
  }
}
