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
final class NodeConnection extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = LoggerFactory.getLogger(NodeConnection.class);

  private final LoopPool pool;
  private final InetSocketAddress address;
  private @Nullable ChannelHandlerContext ctx;
  private @Nullable Passage passage;
  private @Nullable Throwable failure;
  private boolean announced;
  private boolean answered;
  private boolean gone;
  private boolean closing;
  private long idleSinceNanos;

  NodeConnection(LoopPool pool, InetSocketAddress address) {
    this.pool = pool;
    this.address = address;
  }

  InetSocketAddress address() {
    return address;
  }

  boolean usable() {
    return ctx != null && !closing && ctx.channel().isActive();
  }

  void take(Passage next) {
    passage = next;
  }

  long idleSince() {
    return idleSinceNanos;
  }

  void idleSince(long nanos) {
    idleSinceNanos = nanos;
  }

  /** TCP stands; with TLS the handshake is still to come. */
  void connected(boolean tls) {
    if (!tls) {
      announce();
    }
  }

  private void announce() {
    announced = true;
    Passage waiting = passage;
    if (waiting == null) {
      pool.release(this);
    } else {
      waiting.onConnected(this, false);
    }
  }

  void connectFailed(Throwable cause) {
    failure = cause;
    end();
  }

  /** What the passage writes through. */
  ChannelHandlerContext ctx() {
    ChannelHandlerContext context = ctx;
    if (context == null) {
      throw new IllegalStateException(
          "got no connection to " + address + " (expected: connected before it is used)");
    }
    return context;
  }

  /** The passage is over and the connection fit for another. */
  void free() {
    passage = null;
    ctx().channel().config().setAutoRead(true);
    pool.release(this);
  }

  /** The passage is over and the connection can't be used again, or nobody needs it. */
  void close() {
    passage = null;
    closing = true;
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
        announce();
      } else {
        failure = handshake.cause();
        pool.proxy().troubles().noHandshake(address, handshake.cause());
        context.close();
      }
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Passage current = passage;
    if (current == null) {
      // Bytes that nobody asked for: whatever they are, the next request must not get them.
      ReferenceCountUtil.release(message);
      closing = true;
      context.close();
    } else {
      if (!answered) {
        answered = true;
        pool.proxy().troubles().answered(address);
      }
      current.onAnswer((HttpObject) message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    Passage current = passage;
    if (current != null) {
      current.onReadComplete();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    Passage current = passage;
    if (current != null && announced) {
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
    end();
  }

  private void end() {
    if (gone) {
      return;
    }
    gone = true;
    closing = true;
    Passage last = passage;
    passage = null;
    if (last != null && announced && !answered && failure == null && pool.proxy().tls() == null) {
      pool.proxy().troubles().closedSilently(address);
    }
    pool.gone(this);
    if (last != null) {
      if (announced) {
        last.onNodeClosed(failure);
      } else {
        last.onConnectFailed(address, failure);
      }
    }
  }
}
