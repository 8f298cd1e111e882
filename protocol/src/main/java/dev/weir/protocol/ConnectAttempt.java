package dev.weir.protocol;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.Version;
import org.opensearch.transport.TransportService;

/**
 * One attempt to open a channel: TCP, TLS when wanted, the version's handshake, the node's. Tells
 * its slot exactly one outcome, unless it was abandoned. Confined to the slot's loop.
 */
final class ConnectAttempt {
  private final ChannelSlot slot;
  private final LoopContext context;
  private final Peer peer;
  private final WireChannel wire;
  private boolean over;

  ConnectAttempt(ChannelSlot slot, LoopContext context, Peer peer) {
    this.slot = slot;
    this.context = context;
    this.peer = peer;
    this.wire = new WireChannel(context, peer, slot.counters(), this::closed);
  }

  void start() {
    TransportOptions options = context.options();
    int unsent = options.limits().maxUnsentBytes();
    Bootstrap bootstrap =
        new Bootstrap()
            .group(context.loop)
            .channel(context.socketChannel)
            .option(ChannelOption.ALLOCATOR, context.shared.allocator())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                Math.toIntExact(options.timing().connect().toMillis()))
            .option(
                ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(unsent / 2, unsent))
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    TransportTls tls = context.options().tls();
                    if (tls != null) {
                      channel.pipeline().addLast("tls", tlsHandler(tls, channel));
                    }
                    channel.pipeline().addLast("wire", wire);
                  }
                });
    bootstrap
        .connect(peer.endpoint().transport())
        .addListener(future -> connected((ChannelFuture) future));
  }

  private SslHandler tlsHandler(TransportTls tls, Channel channel) {
    InetSocketAddress address = peer.endpoint().transport();
    SslHandler handler =
        tls.context().get().newHandler(channel.alloc(), address.getHostString(), address.getPort());
    SSLEngine engine = handler.engine();
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm(tls.verifyHostname() ? "HTTPS" : "");
    engine.setSSLParameters(parameters);
    handler.setHandshakeTimeoutMillis(context.options().timing().handshake().toMillis());
    return handler;
  }

  private void connected(ChannelFuture future) {
    if (over) {
      future.channel().close();
    } else if (!future.isSuccess()) {
      fail("connect_exception", future.cause());
    } else {
      handshake(Handshake.version(timeout()), call -> wire.sendHandshake(call), this::versionKnown);
    }
  }

  private void versionKnown(Version remote) {
    String problem = Handshake.problem(remote);
    if (problem != null) {
      fail(problem, null);
      return;
    }
    wire.ready(Version.min(remote, Version.CURRENT), compress());
    handshake(Handshake.node(timeout()), wire::send, this::nodeKnown);
  }

  private void nodeKnown(TransportService.HandshakeResponse answer) {
    String problem = Handshake.problem(answer, peer, context.options().clusterName());
    if (problem != null) {
      fail(problem, null);
      return;
    }
    over = true;
    wire.opened(answer.getDiscoveryNode().getEphemeralId());
    slot.connected(this, wire, answer);
  }

  /** Nobody wants the connection any more; the slot is told nothing. */
  void abandon() {
    over = true;
    wire.close(null);
  }

  private void closed(WireChannel which, @Nullable Throwable cause) {
    if (over) {
      slot.closed(which, cause);
    } else if (cause != null) {
      fail("handshake failed: connection closed: " + cause.getMessage(), cause);
    } else {
      fail(
          "handshake failed: connection closed by the node: it is still starting, wants TLS"
              + " (transport-tls), or is older than "
              + Version.CURRENT.minimumCompatibilityVersion(),
          null);
    }
  }

  /** With what the node said, such as that it does not know the certificate. */
  private static String why(NodeFailure failure) {
    Throwable said = ExceptionsHelper.unwrapCause(failure.exception());
    return said.equals(failure.exception())
        ? String.valueOf(failure.getMessage())
        : failure.getMessage() + ": " + said.getMessage();
  }

  private void fail(String message, @Nullable Throwable cause) {
    if (!over) {
      over = true;
      wire.close(cause);
      slot.connectFailed(this, peer.connectFailure(message, cause));
    }
  }

  private Duration timeout() {
    return context.options().timing().handshake();
  }

  private boolean compress() {
    return switch (context.options().compression()) {
      case ON -> true;
      case OFF -> false;
      case AUTO -> far(wire.remoteAddress());
    };
  }

  private static boolean far(@Nullable SocketAddress address) {
    if (!(address instanceof InetSocketAddress remote) || remote.isUnresolved()) {
      return false;
    }
    InetAddress ip = remote.getAddress();
    return !ip.isLoopbackAddress()
        && !ip.isSiteLocalAddress()
        && !ip.isLinkLocalAddress()
        && (ip.getAddress()[0] & 0xFE) != 0xFC;
  }

  private interface Sending {
    void send(Call<?> call);
  }

  private interface Next<R> {
    void on(R answer);
  }

  private <R> void handshake(NodeCall<R> request, Sending sending, Next<R> next) {
    Call<R> call =
        new Call<>(
            request,
            context.loop,
            new ReplyHandler<R>() {
              @Override
              public void onReply(R reply, ReplyFrame frame) {
                if (!over) {
                  next.on(reply);
                }
              }

              @Override
              public void onFailure(NodeFailure failure) {
                fail("handshake failed: " + why(failure), failure.exception());
              }
            },
            slot);
    slot.startTimeout(call);
    sending.send(call);
  }
}
