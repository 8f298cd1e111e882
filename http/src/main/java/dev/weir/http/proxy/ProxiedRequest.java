package dev.weir.http.proxy;

import dev.weir.http.body.BodySink;
import dev.weir.http.connection.ClientNetwork;
import dev.weir.model.RetryAdvice;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request that the gateway passes through to a node, and its response on the way back. Takes
 * the request's body as a {@link BodySink}. Confined to the client's event loop.
 *
 * <pre>
 *   SELECTING --> CONNECTING --> SENDING --> RECEIVING or RECEIVING_LAST --> ENDED
 *       ^             |  ^          |
 *       `--next node--'  +--retry---+   retries when none of the response has arrived, and either
 *                        |          |   nothing was sent, or the request is repeatable and the
 *                        |          |   connection came from the pool
 *                        `--429-----'   a read that a node rejects goes to another node, once
 *   SELECTING --> WAITING --> CONNECTING or SENDING, where all connections are busy
 *   any state --failure or abort()--> ENDED
 * </pre>
 */
public final class ProxiedRequest implements BodySink, ChannelFutureListener, RequestShares.Member {
  private static final Logger LOG = LoggerFactory.getLogger(ProxiedRequest.class);

  private enum Flow {
    FLOWING,
    PAUSED
  }

  private enum ConnectionOrigin {
    NEW,
    /** Served a request before; may have been closed unnoticed. */
    POOLED
  }

  /** How often a request is sent again after its connection failed. */
  private static final int MAX_RETRIES = 2;

  private final EventLoopConnectionPool pool;
  private final UpstreamRequest request;
  private final DownstreamHandler client;
  private final RequestTransmission transmission;
  private final RejectionRetry rejectionRetry;

  /** Nodes that could not be reached, or rejected the request. */
  private final List<InetSocketAddress> triedNodes = new ArrayList<>(0);

  private @Nullable InetSocketAddress target;
  private @Nullable RestNodeConnection connection;
  private ProxiedRequestState state = ProxiedRequestState.SELECTING;
  private Flow responseFlow = Flow.FLOWING;
  private ConnectionOrigin connectionOrigin = ConnectionOrigin.NEW;
  private int retries;
  private long progressNanos;

  ProxiedRequest(EventLoopConnectionPool pool, UpstreamRequest request, DownstreamHandler client) {
    this.pool = pool;
    this.request = request;
    this.client = client;
    this.transmission = new RequestTransmission(request, client);
    this.rejectionRetry = new RejectionRetry(pool.context(), request);
  }

  @Override
  public @Nullable ClientNetwork client() {
    return request.client();
  }

  @Override
  public boolean isStreaming() {
    return request.isStreaming();
  }

  void start() {
    pool.register(this);
    transmission.awaitConnection();
    tryNextNode(false, null);
  }

  /** Sends the request to the best node that was not tried yet. */
  private void tryNextNode(boolean fresh, @Nullable Throwable cause) {
    InetSocketAddress picked = pool.context().targets().pick(triedNodes);
    if (picked == null) {
      fail(503, "no_node_available_exception", ProxyFailure.noNode(triedNodes.size()), cause);
      return;
    }
    connectTo(picked, fresh);
  }

  private void connectTo(InetSocketAddress node, boolean fresh) {
    target = node;
    state = ProxiedRequestState.CONNECTING;
    progressNanos = pool.context().nanoTime();
    client.onNode(node);
    pool.context().targets().onStarted(node);
    pool.acquire(node, this, fresh);
  }

  // Called by the pool and the connection.

  /** Called when the request has to wait until a connection is free. */
  void onWaiting() {
    state = ProxiedRequestState.WAITING;
  }

  /** Called when a connection is being opened for the request. */
  void onConnecting() {
    state = ProxiedRequestState.CONNECTING;
    progressNanos = pool.context().nanoTime();
  }

  void onConnected(RestNodeConnection to, boolean wasUsed) {
    if (state == ProxiedRequestState.ENDED) {
      to.releaseToPool();
      return;
    }
    state = ProxiedRequestState.SENDING;
    connection = to;
    connectionOrigin = wasUsed ? ConnectionOrigin.POOLED : ConnectionOrigin.NEW;
    progressNanos = pool.context().nanoTime();
    transmission.start(to.ctx(), this);
    if (connection == to && transmission.isHeadOnly()) {
      transmission.resumeBody();
    }
  }

  /**
   * Called when the request's headers, or all of it, were written to the socket, or failed to be.
   */
  @Override
  public void operationComplete(ChannelFuture written) {
    RestNodeConnection current = connection;
    if (written.isSuccess()
        || state == ProxiedRequestState.ENDED
        || current == null
        || !current.ctx().channel().equals(written.channel())) {
      return; // at the last: the request has left that connection's node for another one
    }
    transmission.onStartFailed();
    if (written.channel().isActive()) {
      fail(
          502,
          "node_disconnected_exception",
          "could not write the request to the node",
          written.cause());
    }
  }

  void onConnectFailed(InetSocketAddress node, @Nullable Throwable cause) {
    if (state == ProxiedRequestState.ENDED) {
      return;
    }
    state = ProxiedRequestState.SELECTING;
    onNodeLeft(NodeContact.FAILED);
    triedNodes.add(node);
    pool.context().retries().increment();
    tryNextNode(false, cause);
  }

  /**
   * Called when the request may not even wait for a connection.
   *
   * @param limit the configuration key of the limit
   */
  void onPoolExhausted(String what, String limit) {
    state = ProxiedRequestState.SELECTING;
    reject(what, limit);
  }

  private void reject(String what, String limit) {
    String advice = RetryAdvice.retry(Duration.ofSeconds(1), limit);
    fail(429, "rejected_execution_exception", what + advice, null);
  }

  void onNodeClosed(@Nullable Throwable cause) {
    if (state == ProxiedRequestState.ENDED) {
      return;
    }
    connection = null;
    InetSocketAddress node = target;
    boolean untouched = transmission.isUntouched();
    boolean pooled = connectionOrigin == ConnectionOrigin.POOLED;
    boolean again = untouched || (pooled && request.isRetryable());
    if (!state.isReceiving() && node != null && again && retries < MAX_RETRIES) {
      retries++;
      pool.context().retries().increment();
      onNodeLeft(NodeContact.MADE);
      transmission.restart();
      connectionOrigin = ConnectionOrigin.NEW;
      connectTo(node, true);
      return;
    }
    fail(
        502,
        "node_disconnected_exception",
        "the node closed the connection before its response was complete",
        cause);
  }

  void onNodeWritable() {
    RestNodeConnection current = connection;
    if (current != null && current.ctx().channel().isWritable()) {
      progressNanos = pool.context().nanoTime();
      transmission.resumeBody();
    }
  }

  // The node's response.

  void onResponsePart(HttpObject part) {
    long elapsedNanos = pool.context().nanoTime() - progressNanos;
    progressNanos += elapsedNanos;
    if (part.decoderResult().isFailure()) {
      ReferenceCountUtil.release(part);
      fail(
          502,
          "node_disconnected_exception",
          "got a response of the node that is not HTTP",
          part.decoderResult().cause());
      return;
    }
    if (part instanceof HttpResponse head) {
      if (head.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
        if (state == ProxiedRequestState.SENDING && transmission.isComplete() && target != null) {
          pool.context().targets().onResponse(target, head.status().code(), elapsedNanos);
          InetSocketAddress next = rejectionRetry.nextNode(head.status(), target, triedNodes);
          if (next != null) {
            repeatOn(next, HttpUtil.isKeepAlive(head));
            return;
          }
        }
        state =
            isReusableAfter(head)
                ? ProxiedRequestState.RECEIVING
                : ProxiedRequestState.RECEIVING_LAST;
        HopByHopHeaders.stripResponse(head.headers());
        client.onHeaders(head.status(), head.headers());
      }
    }
    if (part instanceof HttpContent content) {
      onContent(content);
    }
  }

  /**
   * Returns whether the connection may serve another request. A node that could not decode a
   * request keeps its connection open, and ignores all that follows there.
   */
  private static boolean isReusableAfter(HttpResponse head) {
    return HttpUtil.isKeepAlive(head)
        && switch (head.status().code()) {
          case 400, 413, 414, 431 -> false;
          default -> true;
        };
  }

  /** Drops the rest of a node's rejection, and sends the request to another node. */
  private void repeatOn(InetSocketAddress next, boolean keepAlive) {
    RestNodeConnection rejecting = connection;
    connection = null;
    state = ProxiedRequestState.SELECTING;
    if (rejecting != null) {
      rejecting.discardResponse(keepAlive);
    }
    onNodeLeft(NodeContact.MADE);
    transmission.restart();
    connectTo(next, false);
  }

  private void onContent(HttpContent content) {
    boolean last = content instanceof LastHttpContent;
    if (!state.isReceiving()) { // part of an informational response, or no longer needed
      content.release();
      return;
    }
    if (content.content().isReadable()) {
      client.onContent(content.content());
    } else {
      content.release();
    }
    if (state == ProxiedRequestState.ENDED) {
      return;
    }
    if (last) {
      finish();
    } else if (!client.isWritable()) {
      pauseResponse();
    }
  }

  void onReadComplete() {
    if (state.isReceiving()) {
      client.onReadComplete();
    }
  }

  private void pauseResponse() {
    RestNodeConnection current = connection;
    if (responseFlow == Flow.FLOWING && current != null) {
      responseFlow = Flow.PAUSED;
      current.ctx().channel().config().setAutoRead(false);
    }
  }

  private void finish() {
    RestNodeConnection current = connection;
    boolean clean = state == ProxiedRequestState.RECEIVING && transmission.isComplete();
    releaseConnection(NodeContact.MADE);
    client.onEnd();
    transmission.resumeBody();
    if (current != null) {
      if (clean) {
        current.releaseToPool();
      } else {
        current.close();
      }
    }
  }

  // Called by the client's side.

  @Override
  public void acceptContent(ByteBuf part) {
    RestNodeConnection current = connection;
    if (state == ProxiedRequestState.ENDED || current == null) {
      return;
    }
    transmission.writePart(current.ctx(), part);
    if (connection == current && !current.ctx().channel().isWritable()) {
      transmission.pauseBody();
    }
  }

  @Override
  public void complete() {
    RestNodeConnection current = connection;
    if (state == ProxiedRequestState.ENDED || transmission.isComplete() || current == null) {
      return;
    }
    progressNanos = pool.context().nanoTime();
    transmission.writeEnd(current.ctx());
  }

  /** Stops the request: the client disconnected, or needs no response any more. */
  public void abort() {
    if (state != ProxiedRequestState.ENDED) {
      RestNodeConnection current = connection;
      releaseConnection(state.contact());
      if (current != null) {
        current.close();
      }
    }
  }

  /** Resumes reading the response: the client takes more of it. */
  public void resumeResponse() {
    RestNodeConnection current = connection;
    if (responseFlow == Flow.PAUSED && current != null) {
      responseFlow = Flow.FLOWING;
      progressNanos = pool.context().nanoTime();
      current.ctx().channel().config().setAutoRead(true);
    }
  }

  // Timeouts and the end.

  /** Ends the request with this failure, unless its response has begun. */
  public void giveUp(ProxyFailure failure) {
    if (state != ProxiedRequestState.ENDED && !state.isReceiving()) {
      fail(failure.status(), failure.type(), failure.reason(), null);
    }
  }

  /** Ends the request: its cluster was left, and none of its nodes answers. */
  public void release() {
    if (state != ProxiedRequestState.ENDED) {
      fail(504, "released_request_exception", ProxyFailure.released(state.effect()), null);
    }
  }

  void checkTimeouts(long now) {
    if (responseFlow == Flow.PAUSED) {
      return;
    }
    long quiet = now - progressNanos;
    ProxyOptions options = pool.context().options();
    switch (state) {
      case WAITING -> {
        if (quiet > 2 * options.connectTimeout().toNanos()) {
          reject(
              "no connection to the node was free within "
                  + options.connectTimeout().multipliedBy(2).toMillis()
                  + "ms",
              "rest-connections.max-connections-per-loop");
        }
      }
      case CONNECTING -> {
        // Opening a connection has its own timeout, and TLS adds a handshake.
        if (quiet > 2 * options.connectTimeout().toNanos()) {
          onNodeLeft(NodeContact.FAILED);
          timeout(503, "got no connection", options.connectTimeout().multipliedBy(2));
        }
      }
      case SENDING -> {
        if (transmission.isComplete()) {
          if (quiet > options.responseTimeout().toNanos()) {
            timeout(504, "did not answer", options.responseTimeout());
          }
        } else if (transmission.isBodyPaused() && quiet > options.stallTimeout().toNanos()) {
          timeout(504, "took no more of the request", options.stallTimeout());
        }
      }
      case RECEIVING, RECEIVING_LAST -> {
        // While the client sends, the node may wait for more before it goes on.
        boolean nodesTurn = transmission.isComplete() || transmission.isBodyPaused();
        if (nodesTurn && quiet > options.stallTimeout().toNanos()) {
          timeout(504, "sent no more of its answer", options.stallTimeout());
        }
      }
      case SELECTING, ENDED -> {
        // no timeout applies
      }
    }
  }

  private void timeout(int status, String what, Duration limit) {
    fail(
        status,
        "timeout_exception",
        "the node " + what + " within " + limit.toMillis() + "ms",
        null);
  }

  /**
   * Ends the request with an error.
   *
   * @param reason for the client. It names no address: clients need not know the network of the
   *     nodes
   * @param cause for the log
   */
  private void fail(int status, String type, String reason, @Nullable Throwable cause) {
    LOG.debug("a request to {} failed, tried {}: {}", target, triedNodes, reason, cause);
    RestNodeConnection current = connection;
    ProxyFailure failure = new ProxyFailure(state.effect(), status, type, reason);
    pool.context().failures().increment();
    releaseConnection(state.contact());
    if (current != null) {
      current.close();
    }
    client.onFailure(rejectionRetry.describe(failure));
    transmission.resumeBody();
  }

  private void releaseConnection(NodeContact contact) {
    boolean waits = state == ProxiedRequestState.WAITING;
    state = ProxiedRequestState.ENDED;
    InetSocketAddress node = target;
    if (waits && node != null) {
      pool.removeWaiting(node, this);
    }
    connection = null;
    onNodeLeft(contact);
    pool.unregister(this);
    request.release();
  }

  private void onNodeLeft(NodeContact contact) {
    InetSocketAddress node = target;
    if (node != null) {
      target = null;
      pool.leave(node, this);
      pool.context().targets().onEnded(node, contact);
    }
  }
}
