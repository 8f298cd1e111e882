package dev.weir.http.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way through a node and its answer on the way back. Confined to the client's
 * event loop.
 *
 * <pre>
 *   connecting --connected--> open --answer complete--> over
 *        |  ^                  |
 *        |  `---- retry -------+   nothing of the answer has come, and nothing was sent or the
 *        |                     |   request is repeatable and the connection was an old one
 *        `----- failure -------+-> over
 * </pre>
 */
public final class Passage implements ChannelFutureListener {

  /** How often a request is sent again after its connection broke. */
  private static final int MAX_RETRIES = 2;

  private final LoopPool pool;
  private final ProxyRequest request;
  private final ProxyClient client;
  private final List<InetSocketAddress> tried = new ArrayList<>(0);

  private @Nullable InetSocketAddress target;
  private @Nullable NodeConnection connection;
  private boolean waiting;
  private boolean over;
  private boolean bodyHeld;
  private boolean bodyBegun;

  /** Whether the connection had served a request before: it may have died unnoticed. */
  private boolean reused;

  private int retries;
  private boolean headSent;
  private boolean requestComplete;
  private boolean answerBegun;
  private boolean informational;
  private boolean keepAlive;
  private boolean answerHeld;
  private long progressNanos;

  Passage(LoopPool pool, ProxyRequest request, ProxyClient client) {
    this.pool = pool;
    this.request = request;
    this.client = client;
  }

  void start() {
    pool.enter(this);
    if (request.streams()) {
      bodyHeld = true;
      client.pauseBody();
    }
    next(false, null);
  }

  /** Goes to the best node not yet tried. */
  private void next(boolean fresh, @Nullable Throwable cause) {
    InetSocketAddress picked = pool.proxy().targets().pick(tried);
    if (picked == null) {
      fail(503, "no_node_available_exception", noNode(cause));
      return;
    }
    goTo(picked, fresh);
  }

  private void goTo(InetSocketAddress node, boolean fresh) {
    target = node;
    waiting = true;
    progressNanos = pool.proxy().now();
    client.onNode(node);
    pool.proxy().targets().started(node);
    pool.acquire(node, this, fresh);
  }

  private String noNode(@Nullable Throwable cause) {
    if (tried.isEmpty()) {
      return "no node of the cluster is known to answer REST requests"
          + " (the admin endpoint's /readyz says why)";
    }
    return "could not connect to any node, tried " + tried + ": " + messageOf(cause);
  }

  private static String messageOf(@Nullable Throwable cause) {
    return cause == null ? "connection closed" : String.valueOf(cause.getMessage());
  }

  // What the pool and the connection say.

  void onConnected(NodeConnection to, boolean wasUsed) {
    if (over) {
      to.free();
      return;
    }
    waiting = false;
    connection = to;
    reused = wasUsed;
    progressNanos = pool.proxy().now();
    ChannelHandlerContext ctx = to.ctx();
    ByteBuf body = request.body();
    headSent = true;
    if (body == null) {
      ctx.writeAndFlush(
              new DefaultHttpRequest(
                  HttpVersion.HTTP_1_1, request.method(), request.uri(), request.headers()))
          .addListener(this);
      if (!over && connection == to && headSent) {
        resumeBodyIfHeld();
      }
    } else {
      requestComplete = true;
      ctx.writeAndFlush(
              new DefaultFullHttpRequest(
                  HttpVersion.HTTP_1_1,
                  request.method(),
                  request.uri(),
                  body.retainedDuplicate(),
                  request.headers(),
                  EmptyHttpHeaders.INSTANCE))
          .addListener(this);
    }
  }

  /** A request's head, or all of it, was written or could not be. */
  @Override
  public void operationComplete(ChannelFuture written) {
    if (written.isSuccess() || over || connection == null) {
      return;
    }
    // What did not leave in full was never read as a request by the node.
    headSent = false;
    if (written.channel().isActive()) {
      fail(
          502,
          "node_disconnected_exception",
          "could not write the request to [" + target + "]: " + messageOf(written.cause()));
    }
  }

  void onConnectFailed(InetSocketAddress node, @Nullable Throwable cause) {
    if (over) {
      return;
    }
    waiting = false;
    left(false);
    tried.add(node);
    pool.proxy().retries().increment();
    next(false, cause);
  }

  void onNoRoom(InetSocketAddress node, int connections, int queued) {
    waiting = false;
    fail(
        429,
        "rejected_execution_exception",
        "too many requests are on their way to ["
            + node
            + "]: "
            + connections
            + " connections in use and "
            + queued
            + " requests waiting for one");
  }

  void onNodeClosed(@Nullable Throwable cause) {
    if (over) {
      return;
    }
    connection = null;
    InetSocketAddress node = target;
    boolean untouched = !headSent && !bodyBegun && (bodyHeld || !request.streams());
    boolean again = untouched || (reused && request.repeatable());
    if (!answerBegun && node != null && again && retries < MAX_RETRIES) {
      retries++;
      pool.proxy().retries().increment();
      left(untouched || reused);
      headSent = false;
      requestComplete = false;
      reused = false;
      goTo(node, true);
      return;
    }
    fail(
        502,
        "node_disconnected_exception",
        "["
            + node
            + "] closed the connection before its answer was complete"
            + (cause == null ? "" : ": " + messageOf(cause)));
  }

  void onNodeWritable() {
    NodeConnection current = connection;
    if (current != null && current.ctx().channel().isWritable()) {
      progressNanos = pool.proxy().now();
      resumeBodyIfHeld();
    }
  }

  private void resumeBodyIfHeld() {
    if (bodyHeld) {
      bodyHeld = false;
      client.resumeBody();
    }
  }

  // The node's answer.

  void onAnswer(HttpObject part) {
    progressNanos = pool.proxy().now();
    if (part.decoderResult().isFailure()) {
      ReferenceCountUtil.release(part);
      fail(
          502,
          "node_disconnected_exception",
          "got an answer from ["
              + target
              + "] that is no HTTP: "
              + messageOf(part.decoderResult().cause()));
      return;
    }
    if (part instanceof HttpResponse head) {
      informational = head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
      if (!informational) {
        answerBegun = true;
        keepAlive = HttpUtil.isKeepAlive(head);
        HopByHop.strip(head.headers());
        client.onHead(head.status(), head.headers());
      }
    }
    if (part instanceof HttpContent content) {
      onContent(content);
    }
  }

  private void onContent(HttpContent content) {
    boolean last = content instanceof LastHttpContent;
    if (informational || over) {
      content.release();
      return;
    }
    if (content.content().isReadable()) {
      client.onContent(content.content());
    } else {
      content.release();
    }
    if (over) {
      return;
    }
    if (last) {
      complete();
    } else if (!client.writable()) {
      holdAnswer();
    }
  }

  void onReadComplete() {
    if (answerBegun && !over) {
      client.onReadComplete();
    }
  }

  private void holdAnswer() {
    NodeConnection current = connection;
    if (!answerHeld && current != null) {
      answerHeld = true;
      current.ctx().channel().config().setAutoRead(false);
    }
  }

  private void complete() {
    NodeConnection current = connection;
    boolean clean = keepAlive && requestComplete;
    settle(true);
    client.onEnd();
    resumeBodyIfHeld();
    if (current != null) {
      if (clean) {
        current.free();
      } else {
        current.close();
      }
    }
  }

  // What the client says.

  /** A part of the request's body; borrowed. */
  public void content(ByteBuf part) {
    NodeConnection current = connection;
    if (over || current == null) {
      return;
    }
    bodyBegun = true;
    ChannelHandlerContext ctx = current.ctx();
    ctx.writeAndFlush(new DefaultHttpContent(part.retain()));
    if (!over && connection == current && !ctx.channel().isWritable() && !bodyHeld) {
      bodyHeld = true;
      client.pauseBody();
    }
  }

  /** The request's body is complete. */
  public void end() {
    NodeConnection current = connection;
    if (over || requestComplete || current == null) {
      return;
    }
    requestComplete = true;
    progressNanos = pool.proxy().now();
    current.ctx().writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
  }

  /** The client went away or wants no answer any more. */
  public void abort() {
    if (!over) {
      NodeConnection current = connection;
      settle(true);
      if (current != null) {
        current.close();
      }
    }
  }

  /** The client takes more of the answer. */
  public void resumeAnswer() {
    NodeConnection current = connection;
    if (answerHeld && current != null) {
      answerHeld = false;
      progressNanos = pool.proxy().now();
      current.ctx().channel().config().setAutoRead(true);
    }
  }

  // Time and the end.

  void tick(long now) {
    if (over || answerHeld) {
      return;
    }
    long quiet = now - progressNanos;
    ProxyOptions options = pool.proxy().options();
    if (waiting) {
      // A connection attempt has its own timeout, and TLS adds a handshake.
      if (quiet > 2 * options.connectTimeout().toNanos()) {
        timeout(503, "got no connection", options.connectTimeout().multipliedBy(2));
      }
    } else if (answerBegun) {
      if (quiet > options.stallTimeout().toNanos()) {
        timeout(504, "sent no more of its answer", options.stallTimeout());
      }
    } else if (requestComplete) {
      if (quiet > options.answerTimeout().toNanos()) {
        timeout(504, "did not answer", options.answerTimeout());
      }
    } else if (bodyHeld && quiet > options.stallTimeout().toNanos()) {
      timeout(504, "took no more of the request", options.stallTimeout());
    }
  }

  private void timeout(int status, String what, Duration limit) {
    fail(
        status,
        "timeout_exception",
        "[" + target + "] " + what + " within " + limit.toMillis() + "ms");
  }

  private void fail(int status, String type, String reason) {
    NodeConnection current = connection;
    pool.proxy().failures().increment();
    settle(!(waiting && status == 503));
    if (current != null) {
      current.close();
    }
    client.onFailure(new ProxyFailure(status, type, reason));
    resumeBodyIfHeld();
  }

  private void settle(boolean reached) {
    over = true;
    InetSocketAddress node = target;
    if (waiting && node != null) {
      waiting = false;
      pool.stopWaiting(node, this);
    }
    connection = null;
    left(reached);
    pool.leave(this);
    request.release();
  }

  private void left(boolean reached) {
    InetSocketAddress node = target;
    if (node != null) {
      target = null;
      pool.proxy().targets().ended(node, reached);
    }
  }
}
