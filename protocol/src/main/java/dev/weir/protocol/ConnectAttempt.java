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
 * One attempt to open a channel: TCP, optionally TLS, the version handshake, and the node
 * handshake. It reports exactly one result to its slot unless it was abandoned. Confined to the
 * slot's event loop.
 */
final class ConnectAttempt {
  private final ChannelSlot slot;
  private final LoopContext context;
  private final Peer peer;
  private final NodeChannel nodeChannel;
  private boolean isFinished;

  ConnectAttempt(ChannelSlot slot, LoopContext context, Peer peer) {
    this.slot = slot;
    this.context = context;
    this.peer = peer;
    this.nodeChannel = new NodeChannel(context, peer, slot.counters(), this::onClosed);
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
                Math.toIntExact(options.timing().connectTimeout().toMillis()))
            .option(
                ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(unsent / 2, unsent))
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    TransportTlsOptions tls = context.options().tls();
                    if (tls != null) {
                      channel.pipeline().addLast("tls", tlsHandler(tls, channel));
                    }
                    channel.pipeline().addLast("wire", nodeChannel);
                  }
                });
    bootstrap
        .connect(peer.endpoint().transport())
        .addListener(future -> onConnected((ChannelFuture) future));
  }

  private SslHandler tlsHandler(TransportTlsOptions tls, Channel channel) {
    InetSocketAddress address = peer.endpoint().transport();
    SslHandler handler =
        tls.context().get().newHandler(channel.alloc(), address.getHostString(), address.getPort());
    SSLEngine engine = handler.engine();
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm(tls.verifyHostname() ? "HTTPS" : "");
    engine.setSSLParameters(parameters);
    handler.setHandshakeTimeoutMillis(context.options().timing().handshakeTimeout().toMillis());
    return handler;
  }

  private void onConnected(ChannelFuture future) {
    if (isFinished) {
      future.channel().close();
    } else if (!future.isSuccess()) {
      fail("connect_exception", future.cause());
    } else {
      handshake(
          Handshake.versionCall(timeout()),
          call -> nodeChannel.sendHandshake(call),
          this::onVersion);
    }
  }

  private void onVersion(Version remote) {
    String problem = Handshake.findProblem(remote);
    if (problem != null) {
      fail(problem, null);
      return;
    }
    nodeChannel.setVersion(Version.min(remote, Version.CURRENT), compress());
    handshake(Handshake.nodeCall(timeout()), nodeChannel::send, this::onNode);
  }

  private void onNode(TransportService.HandshakeResponse response) {
    String problem = Handshake.findProblem(response, peer, context.options().clusterName());
    if (problem != null) {
      fail(problem, null);
      return;
    }
    isFinished = true;
    boolean usesZstd = context.options().compression() != TransportOptions.Compression.DEFLATE;
    nodeChannel.opened(
        response.getDiscoveryNode().getEphemeralId(), id -> usesZstd && slot.readsZstd(id));
    slot.onConnected(this, nodeChannel, response);
  }

  /** Abandons the attempt; the slot gets no result. */
  void abandon() {
    isFinished = true;
    nodeChannel.close(null);
  }

  private void onClosed(NodeChannel which, @Nullable Throwable cause) {
    if (isFinished) {
      slot.onClosed(which, cause);
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

  /** Includes the node's error, for example that it does not trust the certificate. */
  private static String reason(NodeCallException failure) {
    Throwable remote = ExceptionsHelper.unwrapCause(failure.exception());
    return remote.equals(failure.exception())
        ? String.valueOf(failure.getMessage())
        : failure.getMessage() + ": " + remote.getMessage();
  }

  private void fail(String message, @Nullable Throwable cause) {
    if (!isFinished) {
      isFinished = true;
      nodeChannel.close(cause);
      slot.onConnectFailed(this, peer.connectFailure(message, cause));
    }
  }

  private Duration timeout() {
    return context.options().timing().handshakeTimeout();
  }

  private boolean compress() {
    return switch (context.options().compression()) {
      case ON, DEFLATE -> true;
      case OFF -> false;
      case AUTO -> isPublicAddress(nodeChannel.remoteAddress());
    };
  }

  private static boolean isPublicAddress(@Nullable SocketAddress address) {
    if (!(address instanceof InetSocketAddress remote) || remote.isUnresolved()) {
      return false;
    }
    InetAddress ip = remote.getAddress();
    return !ip.isLoopbackAddress()
        && !ip.isSiteLocalAddress()
        && !ip.isLinkLocalAddress()
        && (ip.getAddress()[0] & 0xFE) != 0xFC;
  }

  private interface CallSender {
    void send(ActiveCall<?> call);
  }

  private interface ResponseCallback<R> {
    void onResponse(R response);
  }

  private <R> void handshake(NodeCall<R> request, CallSender sending, ResponseCallback<R> next) {
    ActiveCall<R> call =
        new ActiveCall<>(
            request,
            context.loop,
            new ReplyHandler<R>() {
              @Override
              public void onReply(R reply, ReplyFrame frame) {
                if (!isFinished) {
                  next.onResponse(reply);
                }
              }

              @Override
              public void onFailure(NodeCallException failure) {
                fail("handshake failed: " + reason(failure), failure.exception());
              }
            },
            slot);
    slot.startTimeout(call);
    sending.send(call);
  }
}
