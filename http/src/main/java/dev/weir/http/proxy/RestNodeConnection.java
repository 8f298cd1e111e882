package dev.weir.http.proxy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a node's REST port; carries one request at a time. Confined to its pool's event
 * loop.
 */
final class RestNodeConnection extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = LoggerFactory.getLogger(RestNodeConnection.class);

  private final EventLoopConnectionPool pool;
  private final InetSocketAddress address;
  private @Nullable ChannelHandlerContext ctx;
  private @Nullable ProxiedRequest currentRequest;

  /** What is left of a response that its request does not need; null for none. */
  private @Nullable DiscardedResponse discarded;

  private @Nullable Throwable failure;
  private RestConnectionState state = RestConnectionState.CONNECTING;

  /** Whether the node has ever responded on this connection. */
  private boolean hasResponded;

  private long idleSinceNanos;

  RestNodeConnection(EventLoopConnectionPool pool, InetSocketAddress address) {
    this.pool = pool;
    this.address = address;
  }

  InetSocketAddress address() {
    return address;
  }

  boolean isUsable() {
    return ctx != null && !state.isEnd() && ctx.channel().isActive();
  }

  private void moveTo(RestConnectionState next) {
    assert state.canMoveTo(next) : "got a move from " + state + " to " + next;
    state = next;
  }

  /** Gives the connection to a request, which waits while it is connecting. */
  void assign(ProxiedRequest next) {
    if (state == RestConnectionState.IDLE) {
      moveTo(RestConnectionState.IN_USE);
    }
    currentRequest = next;
  }

  long idleSince() {
    return idleSinceNanos;
  }

  void idleSince(long nanos) {
    idleSinceNanos = nanos;
  }

  /** Called when TCP is connected; with TLS the handshake follows. */
  void onConnected(boolean tls) {
    if (!tls) {
      notifyReady();
    }
  }

  private void notifyReady() {
    ProxiedRequest waiting = currentRequest;
    if (state != RestConnectionState.CONNECTING || waiting == null) {
      return; // closed meanwhile
    }
    moveTo(RestConnectionState.IN_USE);
    waiting.onConnected(this, false);
  }

  void onConnectFailed(Throwable cause) {
    failure = cause;
    onDisconnected();
  }

  /** Returns the context that the request writes through. */
  ChannelHandlerContext ctx() {
    ChannelHandlerContext context = ctx;
    if (context == null) {
      throw new IllegalStateException(
          "got no connection to " + address + " (expected: connected before it is used)");
    }
    return context;
  }

  /** Returns the connection to its pool after a request that left it reusable. */
  void releaseToPool() {
    currentRequest = null;
    discarded = null;
    if (!state.isEnd()) {
      moveTo(RestConnectionState.IDLE);
    }
    ctx().channel().config().setAutoRead(true);
    pool.release(this);
  }

  /**
   * Parts from the current request, of which the response has begun.
   *
   * @param reusable whether the connection may serve another request after this response
   */
  void discardResponse(boolean reusable) {
    currentRequest = null;
    if (reusable && !state.isEnd()) {
      moveTo(RestConnectionState.DISCARDING);
      discarded =
          new DiscardedResponse(
              this::releaseToPool,
              this::close,
              pool.eventLoop(),
              pool.context().options().stallTimeout());
    } else {
      close();
    }
  }

  /** Closes the connection: it can't be reused, or is not needed. */
  void close() {
    currentRequest = null;
    if (!state.isEnd()) {
      moveTo(RestConnectionState.CLOSING);
    }
    if (ctx != null) {
      ctx.close();
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        notifyReady();
      } else {
        failure = handshake.cause();
        pool.context().tlsMismatches().onHandshakeFailure(address, handshake.cause());
        context.close();
      }
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ProxiedRequest current = currentRequest;
    if (discarded != null) {
      discarded.accept((HttpObject) message);
    } else if (current == null) {
      // Unsolicited bytes of the node: the next request must not receive them.
      ReferenceCountUtil.release(message);
      close();
    } else {
      if (!hasResponded) {
        hasResponded = true;
        pool.context().tlsMismatches().onResponse(address);
      }
      current.onResponsePart((HttpObject) message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    ProxiedRequest current = currentRequest;
    if (current != null) {
      current.onReadComplete();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    ProxiedRequest current = currentRequest;
    if (current != null && state == RestConnectionState.IN_USE) {
      current.onNodeWritable();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("connection to {} failed", address, cause);
    failure = cause;
    context.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    onDisconnected();
  }

  private void onDisconnected() {
    if (state == RestConnectionState.CLOSED) {
      return;
    }
    boolean wasReady = state != RestConnectionState.CONNECTING;
    moveTo(RestConnectionState.CLOSED);
    if (discarded != null) {
      discarded.end();
      discarded = null;
    }
    ProxiedRequest last = currentRequest;
    currentRequest = null;
    if (last != null
        && wasReady
        && !hasResponded
        && failure == null
        && pool.context().tls() == null) {
      pool.context().tlsMismatches().onSilentClose(address);
    }
    try {
      if (last == null) {
        return;
      }
      if (wasReady) {
        last.onNodeClosed(failure);
      } else {
        last.onConnectFailed(address, failure);
      }
    } finally {
      // after the request has left its client's share, which another one may wait for
      pool.onConnectionClosed(this);
    }
  }
}
