package dev.weir.gateway.authorization;

import dev.weir.model.HttpStatus;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.timeout.ReadTimeoutException;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Sends a node requests without credentials, each on a connection of its own. Safe on any thread;
 * the connections run on event loops.
 */
final class RestAuthenticationProbe {
  /**
   * What is requested: the banner, which some set-ups leave open, and a search in no index, which
   * none would.
   */
  private static final String[] PATHS = {"/", "/.weir-authorization-probe-*/_search?size=0"};

  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final int PROXY_AUTHENTICATION_REQUIRED = 407;

  private final EventLoopGroup eventLoops;
  private final Class<? extends Channel> channelClass;
  private final @Nullable Supplier<SslContext> tls;

  /**
   * Creates a probe.
   *
   * @param channelClass matches the event loops
   * @param tls returns the context for the next connection; null when the REST ports speak plain
   *     HTTP
   */
  RestAuthenticationProbe(
      EventLoopGroup eventLoops,
      Class<? extends Channel> channelClass,
      @Nullable Supplier<SslContext> tls) {
    this.eventLoops = eventLoops;
    this.channelClass = channelClass;
    this.tls = tls;
  }

  /** Probes one node. The future never fails; it completes on an event loop. */
  CompletableFuture<ProbeResult> probe(InetSocketAddress node) {
    return request(node, PATHS[0])
        .thenCompose(first ->
            first instanceof ProbeResult.Open
                ? request(node, PATHS[1])
                : CompletableFuture.completedFuture(first));
  }

  private CompletableFuture<ProbeResult> request(InetSocketAddress node, String path) {
    CompletableFuture<ProbeResult> result = new CompletableFuture<>();
    SslContext encryption = tls == null ? null : tls.get();
    new Bootstrap()
        .group(eventLoops)
        .channel(channelClass)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) TIMEOUT.toMillis())
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                if (encryption != null) {
                  channel
                      .pipeline()
                      .addLast(
                          encryption.newHandler(
                              channel.alloc(), node.getHostString(), node.getPort()));
                }
                channel
                    .pipeline()
                    .addLast(new ReadTimeoutHandler(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS))
                    .addLast(new HttpClientCodec())
                    .addLast(new StatusReader(node, path, result));
              }
            })
        .connect(node)
        .addListener(connected -> {
          if (!connected.isSuccess()) {
            result.complete(new ProbeResult.Unreachable(describe(connected.cause())));
          }
        });
    return result;
  }

  private static ProbeResult judge(int status, HttpStatusClass kind) {
    if (status == HttpStatus.OK) {
      return ProbeResult.Open.SERVED;
    }
    return status == HttpStatus.UNAUTHORIZED
            || status == HttpStatus.FORBIDDEN
            || status == PROXY_AUTHENTICATION_REQUIRED
            || kind == HttpStatusClass.REDIRECTION
        ? new ProbeResult.Secured(status)
        : new ProbeResult.Unclear("answered " + status);
  }

  private static String describe(@Nullable Throwable failure) {
    return failure == null ? "no connection" : failure.getClass().getSimpleName();
  }

  /** Sends the request and reads the status of the response. Confined to its event loop. */
  private static final class StatusReader extends SimpleChannelInboundHandler<HttpObject> {
    private final InetSocketAddress node;
    private final String path;
    private final CompletableFuture<ProbeResult> result;

    StatusReader(InetSocketAddress node, String path, CompletableFuture<ProbeResult> result) {
      this.node = node;
      this.path = path;
      this.result = result;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      DefaultFullHttpRequest request =
          new DefaultFullHttpRequest(
              HttpVersion.HTTP_1_1, HttpMethod.GET, path, Unpooled.EMPTY_BUFFER);
      request
          .headers()
          .set(HttpHeaderNames.HOST, node.getHostString() + ":" + node.getPort())
          .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      ctx.writeAndFlush(request);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject part) {
      if (part.decoderResult().isFailure()) {
        end(ctx, new ProbeResult.Unclear("sent no HTTP"));
      } else if (part instanceof HttpResponse head
          && head.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
        end(ctx, judge(head.status().code(), head.status().codeClass()));
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      end(ctx, new ProbeResult.Unclear("closed the connection"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
      boolean silent = failure instanceof ReadTimeoutException;
      boolean encryption =
          failure instanceof SSLException || failure.getCause() instanceof SSLException;
      end(
          ctx,
          silent
              ? new ProbeResult.Unreachable("no response")
              : new ProbeResult.Unclear(
                  encryption ? "failed the TLS handshake" : "broke the connection"));
    }

    private void end(ChannelHandlerContext ctx, ProbeResult outcome) {
      result.complete(outcome);
      ctx.close();
    }
  }
}
