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
public final class ProxiedRequest implements ChannelFutureListener {

  /** How often a request is sent again after its connection broke. */
  private static final int MAX_RETRIES = 2;

  private final EventLoopConnectionPool pool;
  private final UpstreamRequest request;
  private final DownstreamHandler client;
  private final List<InetSocketAddress> triedNodes = new ArrayList<>(0);

  private @Nullable InetSocketAddress target;
  private @Nullable RestNodeConnection connection;
  private boolean waiting;
  private boolean finished;
  private boolean bodyPaused;
  private boolean bodyStarted;

  /** Whether the connection had served a request before: it may have died unnoticed. */
  private boolean connectionReused;

  private int retries;
  private boolean headSent;
  private boolean requestComplete;
  private boolean responseStarted;
  private boolean informational;
  private boolean keepAlive;
  private boolean responsePaused;
  private long progressNanos;

  ProxiedRequest(EventLoopConnectionPool pool, UpstreamRequest request, DownstreamHandler client) {
    this.pool = pool;
    this.request = request;
    this.client = client;
  }

  void start() {
    pool.register(this);
    if (request.isStreaming()) {
      bodyPaused = true;
      client.pauseBody();
    }
    tryNextNode(false, null);
  }

  /** Goes to the best node not yet tried. */
  private void tryNextNode(boolean fresh, @Nullable Throwable cause) {
    InetSocketAddress picked = pool.proxy().targets().pick(triedNodes);
    if (picked == null) {
      fail(503, "no_node_available_exception", noNodeReason(cause));
      return;
    }
    connectTo(picked, fresh);
  }

  private void connectTo(InetSocketAddress node, boolean fresh) {
    target = node;
    waiting = true;
    progressNanos = pool.proxy().nanoTime();
    client.onNode(node);
    pool.proxy().targets().onStarted(node);
    pool.acquire(node, this, fresh);
  }

  private String noNodeReason(@Nullable Throwable cause) {
    if (triedNodes.isEmpty()) {
      return "no node of the cluster is known to answer REST requests"
          + " (the admin endpoint's /readyz says why)";
    }
    return "could not connect to any node, tried " + triedNodes + ": " + messageOf(cause);
  }

  private static String messageOf(@Nullable Throwable cause) {
    return cause == null ? "connection closed" : String.valueOf(cause.getMessage());
  }

  // What the pool and the connection say.

  void onConnected(RestNodeConnection to, boolean wasUsed) {
    if (finished) {
      to.releaseToPool();
      return;
    }
    waiting = false;
    connection = to;
    connectionReused = wasUsed;
    progressNanos = pool.proxy().nanoTime();
    ChannelHandlerContext ctx = to.ctx();
    ByteBuf body = request.body();
    headSent = true;
    if (body == null) {
      ctx.writeAndFlush(
              new DefaultHttpRequest(
                  HttpVersion.HTTP_1_1, request.method(), request.uri(), request.headers()))
          .addListener(this);
      if (!finished && connection == to && headSent) {
        resumeBodyIfPaused();
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
    if (written.isSuccess() || finished || connection == null) {
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
    if (finished) {
      return;
    }
    waiting = false;
    onNodeLeft(false);
    triedNodes.add(node);
    pool.proxy().retries().increment();
    tryNextNode(false, cause);
  }

  void onPoolExhausted(InetSocketAddress node, int connections, int queued) {
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
    if (finished) {
      return;
    }
    connection = null;
    InetSocketAddress node = target;
    boolean untouched = !headSent && !bodyStarted && (bodyPaused || !request.isStreaming());
    boolean again = untouched || (connectionReused && request.isRetryable());
    if (!responseStarted && node != null && again && retries < MAX_RETRIES) {
      retries++;
      pool.proxy().retries().increment();
      onNodeLeft(untouched || connectionReused);
      headSent = false;
      requestComplete = false;
      connectionReused = false;
      connectTo(node, true);
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
    RestNodeConnection current = connection;
    if (current != null && current.ctx().channel().isWritable()) {
      progressNanos = pool.proxy().nanoTime();
      resumeBodyIfPaused();
    }
  }

  private void resumeBodyIfPaused() {
    if (bodyPaused) {
      bodyPaused = false;
      client.resumeBody();
    }
  }

  // The node's answer.

  void onResponsePart(HttpObject part) {
    progressNanos = pool.proxy().nanoTime();
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
        responseStarted = true;
        keepAlive = HttpUtil.isKeepAlive(head);
        HopByHopHeaders.strip(head.headers());
        client.onHeaders(head.status(), head.headers());
      }
    }
    if (part instanceof HttpContent content) {
      onContent(content);
    }
  }

  private void onContent(HttpContent content) {
    boolean last = content instanceof LastHttpContent;
    if (informational || finished) {
      content.release();
      return;
    }
    if (content.content().isReadable()) {
      client.onContent(content.content());
    } else {
      content.release();
    }
    if (finished) {
      return;
    }
    if (last) {
      complete();
    } else if (!client.isWritable()) {
      pauseResponse();
    }
  }

  void onReadComplete() {
    if (responseStarted && !finished) {
      client.onReadComplete();
    }
  }

  private void pauseResponse() {
    RestNodeConnection current = connection;
    if (!responsePaused && current != null) {
      responsePaused = true;
      current.ctx().channel().config().setAutoRead(false);
    }
  }

  private void complete() {
    RestNodeConnection current = connection;
    boolean clean = keepAlive && requestComplete;
    releaseConnection(true);
    client.onEnd();
    resumeBodyIfPaused();
    if (current != null) {
      if (clean) {
        current.releaseToPool();
      } else {
        current.close();
      }
    }
  }

  // What the client says.

  /** A part of the request's body; borrowed. */
  public void sendContent(ByteBuf part) {
    RestNodeConnection current = connection;
    if (finished || current == null) {
      return;
    }
    bodyStarted = true;
    ChannelHandlerContext ctx = current.ctx();
    ctx.writeAndFlush(new DefaultHttpContent(part.retain()));
    if (!finished && connection == current && !ctx.channel().isWritable() && !bodyPaused) {
      bodyPaused = true;
      client.pauseBody();
    }
  }

  /** The request's body is complete. */
  public void endBody() {
    RestNodeConnection current = connection;
    if (finished || requestComplete || current == null) {
      return;
    }
    requestComplete = true;
    progressNanos = pool.proxy().nanoTime();
    current.ctx().writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
  }

  /** The client went away or wants no answer any more. */
  public void abort() {
    if (!finished) {
      RestNodeConnection current = connection;
      releaseConnection(true);
      if (current != null) {
        current.close();
      }
    }
  }

  /** The client takes more of the answer. */
  public void resumeResponse() {
    RestNodeConnection current = connection;
    if (responsePaused && current != null) {
      responsePaused = false;
      progressNanos = pool.proxy().nanoTime();
      current.ctx().channel().config().setAutoRead(true);
    }
  }

  // Time and the end.

  void checkTimeouts(long now) {
    if (finished || responsePaused) {
      return;
    }
    long quiet = now - progressNanos;
    ProxyOptions options = pool.proxy().options();
    if (waiting) {
      // A connection attempt has its own timeout, and TLS adds a handshake.
      if (quiet > 2 * options.connectTimeout().toNanos()) {
        timeout(503, "got no connection", options.connectTimeout().multipliedBy(2));
      }
    } else if (responseStarted) {
      if (quiet > options.stallTimeout().toNanos()) {
        timeout(504, "sent no more of its answer", options.stallTimeout());
      }
    } else if (requestComplete) {
      if (quiet > options.responseTimeout().toNanos()) {
        timeout(504, "did not answer", options.responseTimeout());
      }
    } else if (bodyPaused && quiet > options.stallTimeout().toNanos()) {
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
    RestNodeConnection current = connection;
    pool.proxy().failures().increment();
    releaseConnection(!(waiting && status == 503));
    if (current != null) {
      current.close();
    }
    client.onFailure(new ProxyFailure(status, type, reason));
    resumeBodyIfPaused();
  }

  private void releaseConnection(boolean reached) {
    finished = true;
    InetSocketAddress node = target;
    if (waiting && node != null) {
      waiting = false;
      pool.removeWaiting(node, this);
    }
    connection = null;
    onNodeLeft(reached);
    pool.unregister(this);
    request.release();
  }

  private void onNodeLeft(boolean reached) {
    InetSocketAddress node = target;
    if (node != null) {
      target = null;
      pool.proxy().targets().onEnded(node, reached);
    }
  }
}
