package dev.weir.http;

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
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.concurrent.TimeUnit;

/** Sets up the handlers of accepted connections; the package's comment has the picture. */
final class Pipelines extends ChannelInitializer<Channel> {

  private static final String CONNECTION = "connection";

  /** Longest piece of a body that the codec hands on at once, in bytes. */
  private static final int CHUNK = 64 << 10;

  /** An upgrade's request is gathered by Netty, so a longer one stays with HTTP/1.1. */
  private static final int MAX_UPGRADE_BODY = 1 << 20;

  private final Front front;

  Pipelines(Front front) {
    this.front = front;
  }

  @Override
  protected void initChannel(Channel channel) {
    SslContext tls = front.options().tls();
    LoopConnections siblings = front.of(channel.eventLoop());
    if (!front.enter(siblings)) {
      channel.pipeline().addLast(new Refusal(front, tls == null));
      return;
    }
    siblings.opened(channel);
    channel
        .closeFuture()
        .addListener(closed -> {
          siblings.asked(channel);
          front.leave();
        });
    ChannelPipeline pipeline = channel.pipeline();
    ByteWatch watch = new ByteWatch(front.desk().nanoClock(), () -> siblings.asked(channel));
    if (tls == null) {
      plain(pipeline, watch);
    } else {
      pipeline.addLast(tls.newHandler(channel.alloc())).addLast(new Alpn(watch));
    }
  }

  private void plain(ChannelPipeline pipeline, ByteWatch watch) {
    HttpServerCodec codec = http1Codec();
    HttpServerUpgradeHandler upgrade =
        new HttpServerUpgradeHandler(
            codec,
            protocol ->
                AsciiString.contentEquals(Http2CodecUtil.HTTP_UPGRADE_PROTOCOL_NAME, protocol)
                    ? new ToHttp2(watch)
                    : null,
            MAX_UPGRADE_BODY,
            DefaultHttpHeadersFactory.headersFactory(),
            DefaultHttpHeadersFactory.trailersFactory(),
            true) {
          @Override
          protected boolean shouldHandleUpgradeRequest(HttpRequest request) {
            long length = RequestHeads.contentLength(request);
            return request
                    .headers()
                    .containsValue(
                        HttpHeaderNames.UPGRADE, Http2CodecUtil.HTTP_UPGRADE_PROTOCOL_NAME, true)
                && length <= MAX_UPGRADE_BODY
                && (length >= 0 || !RequestHeads.hasBody(request, -1));
          }
        };
    ChannelHandler priorKnowledge =
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel channel) {
            channel.pipeline().remove(CONNECTION);
            http2(channel.pipeline(), watch);
          }
        };
    pipeline
        .addLast(watch)
        .addLast(new CleartextHttp2ServerUpgradeHandler(codec, upgrade, priorKnowledge))
        .addLast(CONNECTION, new ClientConnection(front, watch));
  }

  private HttpServerCodec http1Codec() {
    HttpLimits limits = front.options().limits();
    // The connection itself bounds pipelining.
    return new HttpServerCodec(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(limits.maxRequestLineBytes())
            .setMaxHeaderSize(limits.maxHeaderBytes())
            .setMaxChunkSize(CHUNK),
        Integer.MAX_VALUE);
  }

  private void http2(ChannelPipeline pipeline, ByteWatch watch) {
    Http2FrameCodec frames = frames();
    pipeline.addLast(frames).addLast(streams()).addLast(new Http2Session(front, frames, watch));
  }

  private Http2FrameCodec frames() {
    HttpLimits limits = front.options().limits();
    Http2FrameCodec frames =
        Http2FrameCodecBuilder.forServer()
            .initialSettings(
                Http2Settings.defaultSettings()
                    .maxConcurrentStreams(limits.maxRequestsPerConnection())
                    .maxHeaderListSize(limits.maxHeaderBytes())
                    .initialWindowSize(Http2Session.STREAM_WINDOW))
            .build();
    // The server's own deadline ends draining.
    frames.gracefulShutdownTimeoutMillis(TimeUnit.DAYS.toMillis(1));
    return frames;
  }

  private Http2MultiplexHandler streams() {
    return new Http2MultiplexHandler(
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel stream) {
            stream
                .pipeline()
                .addLast(new Http2StreamFrameToHttpObjectCodec(true))
                .addLast(CONNECTION, new ClientConnection(front, null));
          }
        });
  }

  /** An HTTP/1.1 connection asked to become HTTP/2; its request becomes the first stream. */
  private final class ToHttp2 implements HttpServerUpgradeHandler.UpgradeCodec {

    private final ByteWatch watch;
    private final Http2FrameCodec frames = frames();
    private final Http2ServerUpgradeCodec codec = new Http2ServerUpgradeCodec(frames, streams());

    ToHttp2(ByteWatch watch) {
      this.watch = watch;
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
      ctx.pipeline().remove(CONNECTION);
      codec.upgradeTo(ctx, request);
      ctx.pipeline().addLast(new Http2Session(front, frames, watch));
    }
  }

  /** Chooses by what TLS negotiated. */
  private final class Alpn extends ApplicationProtocolNegotiationHandler {

    private final ByteWatch watch;

    Alpn(ByteWatch watch) {
      super(ApplicationProtocolNames.HTTP_1_1);
      this.watch = watch;
    }

    @Override
    protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
      ctx.pipeline().addLast(watch);
      if (ApplicationProtocolNames.HTTP_2.equals(protocol)) {
        http2(ctx.pipeline(), watch);
      } else {
        ctx.pipeline()
            .addLast(http1Codec())
            .addLast(CONNECTION, new ClientConnection(front, watch));
      }
    }
  }

  /** Tells a client that there are too many connections, and closes its own. */
  private static final class Refusal extends ChannelInboundHandlerAdapter {

    private final Front front;
    private final boolean speaks;

    Refusal(Front front, boolean speaks) {
      this.front = front;
      this.speaks = speaks;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      if (!speaks) {
        ctx.close();
        return;
      }
      ByteBuffer body =
          new ErrorBody(
                  503,
                  "rejected_execution_exception",
                  "got one connection more than the gateway takes (expected: at most "
                      + front.options().limits().maxConnections()
                      + ")")
              .bytes(false);
      String head =
          "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
              + "content-type: application/json; charset=UTF-8\r\n"
              + "content-length: "
              + body.remaining()
              + "\r\nconnection: close\r\n\r\n";
      ByteBuf answer =
          Unpooled.wrappedBuffer(ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII)), body);
      ctx.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
    }
  }
}
