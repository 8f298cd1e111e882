package dev.weir.http.connection;

import dev.weir.http.body.BodyBudget;
import dev.weir.http.body.PendingBodyTracker;
import dev.weir.http.options.HttpOptions;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.CodecException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's HTTP/1.1 connection, or one HTTP/2 stream: its {@link RequestReceiver} begins an
 * exchange for each request, its {@link ExchangeQueue} keeps responses in the order of their
 * requests. Writes the responses, and closes the connection when a timeout has passed. Confined to
 * its event loop.
 */
public final class ClientConnection extends ChannelInboundHandlerAdapter
    implements MonitoredConnection, ReceivingConnection, ChannelFutureListener {

  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  private static final String OUTSIDE_OF_PIPELINE =
      "got used outside of a pipeline (expected: after handlerAdded)";

  private final ServerContext server;
  private final @Nullable ReadTimestampHandler readTimestamps;
  private final @Nullable InboundByteQueue receivedBytes;
  private final ConnectionTimeouts timeouts;
  private final ExchangeQueue exchanges = new ExchangeQueue();

  private @Nullable ChannelHandlerContext ctx;
  private @Nullable RequestReceiver requests;
  private @Nullable EventLoopConnections loopConnections;
  private @Nullable ClientPeer peer;

  /** The request whose client waits for {@code 100 Continue}; null for none. */
  private @Nullable ConnectionExchange awaitingContinue;

  private boolean reading;
  private boolean flushPending;
  private int pendingWrites;

  /**
   * Creates the handler of one connection or stream.
   *
   * @param readTimestamps times the bytes before they are decoded; null for an HTTP/2 stream
   * @param receivedBytes stands before the codec; null for an HTTP/2 stream
   */
  public ClientConnection(
      ServerContext server,
      @Nullable ReadTimestampHandler readTimestamps,
      @Nullable InboundByteQueue receivedBytes) {
    this.server = server;
    this.readTimestamps = readTimestamps;
    this.receivedBytes = receivedBytes;
    this.timeouts =
        new ConnectionTimeouts(
            server.options(), server.heldResponses(), readTimestamps, server.nanoTime());
  }

  private ChannelHandlerContext ctx() {
    return Objects.requireNonNull(ctx, OUTSIDE_OF_PIPELINE);
  }

  private RequestReceiver requests() {
    return Objects.requireNonNull(requests, OUTSIDE_OF_PIPELINE);
  }

  // Called by the channel.

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
    requests = new RequestReceiver(this, exchanges, context, readTimestamps, receivedBytes);
    loopConnections = server.connectionsOf(context.channel().eventLoop());
    loopConnections.add(this);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    requests().detach();
    onClosed();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    reading = true;
    if (!(message instanceof HttpObject part)) {
      // Bytes that a client sent after it had asked for another protocol.
      ReferenceCountUtil.release(message);
      closeNow();
    } else if (context.channel().isActive()) {
      requests().accept(part);
    } else {
      requests().drop(part); // after a disconnect the codec still delivers a partial message
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    reading = false;
    flushIfPending();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (context.channel().isWritable()) {
      exchanges.resumeFirst();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    onClosed();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof IOException
        || cause instanceof CodecException
        || cause instanceof Http2Exception) {
      LOG.debug("connection from {} failed", remoteText(), cause);
    } else {
      LOG.warn("connection from {} failed", remoteText(), cause);
    }
    if (!isStream() || !(cause instanceof Http2Exception)) { // Netty resets with the error's code
      requests().stop();
      context.flush(); // earlier responses
      context.close();
    }
  }

  private void onClosed() {
    if (loopConnections != null) {
      loopConnections.remove(this);
    }
    requests().onClosed();
    exchanges.disconnectAll();
  }

  // Requests.

  /** Stops reading until the header filter admits the request being received. */
  public void pauseForAdmission() {
    requests().pauseForAdmission();
  }

  public void resumeAfterAdmission() {
    requests().resumeAfterAdmission();
  }

  boolean isReceiving(ConnectionExchange exchange) {
    return requests().isReceiving(exchange);
  }

  void pauseForBody(ConnectionExchange exchange) {
    requests().pauseForBody(exchange);
  }

  void resumeForBody(ConnectionExchange exchange) {
    requests().resumeForBody(exchange);
  }

  /** Stops reading: nothing tells which of the bytes that follow belong to a request. */
  public void stopReading() {
    requests().stopReading();
  }

  @Override
  public void endAfterBrokenBody(ConnectionExchange exchange) {
    stopReading();
    if (exchanges.first() == null) {
      closeGently(false); // the response has left
    } else {
      exchange.closeAfterResponse();
    }
  }

  /** Serves no request after this one: the connection closes after its response. */
  void endWith(ConnectionExchange exchange) {
    requests().endWith(exchange);
  }

  /** Sends {@code 100 Continue} once all earlier responses have left. */
  void sendContinue(ConnectionExchange exchange) {
    if (!exchanges.isFirst(exchange)) {
      awaitingContinue = exchange;
      return;
    }
    awaitingContinue = null;
    ctx()
        .writeAndFlush(
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
  }

  // Responses.

  /** Called when an exchange has a response; starts it if all earlier responses have left. */
  void onResponseReady(ConnectionExchange exchange) {
    exchanges.onReady(exchange);
    flushIfPending();
  }

  /**
   * Writes a part of a response.
   *
   * @return completes when the part was written to the socket
   */
  ChannelFuture write(ConnectionExchange exchange, HttpObject part, int bytes) {
    onWritten(exchange, bytes);
    return ctx().write(part).addListener(this).addListener(_ -> timeouts.onBodyWritten(bytes));
  }

  /** Writes the last part of a response and starts the next exchange's response. */
  void writeLast(ConnectionExchange exchange, HttpObject part, int bytes) {
    onWritten(exchange, bytes);
    exchanges.removeFirst();
    ctx().write(part).addListener(exchange);
    if (exchange.shouldClose()) {
      requests().stop();
      exchanges.end();
      return;
    }
    requests().resumeAfterResponse();
    ConnectionExchange next = exchanges.first();
    if (next == null) {
      timeouts.onIdle();
    } else if (next.equals(awaitingContinue) && requests().isReceiving(next)) {
      sendContinue(next);
    }
    exchanges.startReady();
    flushIfPending();
  }

  private void onWritten(ConnectionExchange exchange, int bytes) {
    exchange.onBytesSent(bytes);
    if (pendingWrites++ == 0) {
      timeouts.onWriteStart(nanoTime());
    }
  }

  /** Flushes once all that is read, and all responses that are started, have been written. */
  void flush() {
    flushPending = true;
    flushIfPending();
  }

  private void flushIfPending() {
    if (flushPending && !reading && !exchanges.isStarting()) {
      flushPending = false;
      ctx().flush();
    }
  }

  /** Called when a part of a response was written to the socket, or failed to be. */
  @Override
  public void operationComplete(ChannelFuture left) {
    pendingWrites--;
    timeouts.onWriteEnd(nanoTime());
    if (!left.isSuccess()) {
      closeNow();
    }
  }

  /**
   * Called when the last part of a response was written to the socket, or failed to be.
   *
   * @param isLast whether the client has said that it sends no further request
   */
  void onLastWritten(ConnectionExchange exchange, boolean success, boolean isLast) {
    pendingWrites--;
    timeouts.onWriteEnd(nanoTime());
    if (!success) {
      closeNow();
    } else if (exchange.shouldClose()) {
      closeGently(isLast);
    }
  }

  /**
   * Closes the connection after its last response. Bytes that nobody read must not reset it: a
   * client that does not expect the close may be sending its next request.
   */
  private void closeGently(boolean isLast) {
    LingeringCloseHandler lingering = ctx().pipeline().get(LingeringCloseHandler.class);
    if (lingering != null && (!isLast || requests().hasUnread())) {
      timeouts.onIdle(); // a drain leaves it alone for a moment
      lingering.linger();
    }
    closeNow();
  }

  boolean isWritable() {
    return ctx().channel().isWritable();
  }

  @Override
  public void checkTimeouts(long nowNanos) {
    ConnectionTimeouts.Expiry expiry = null;
    if (pendingWrites > 0) {
      expiry = timeouts.checkWriting(nowNanos);
    } else if (requests().isReceiving()) {
      expiry = timeouts.checkReceiving(nowNanos, requests().isPaused());
    } else if (exchanges.isEmpty()) {
      expiry = timeouts.checkIdle(nowNanos);
      if (expiry == null && server.isDraining() && timeouts.isDrained(nowNanos)) {
        closeNow();
      }
    }
    if (expiry != null) {
      LOG.debug("client {} {} within {}, closed", remoteText(), expiry.what(), expiry.limit());
      server.counts().increment(expiry.reason());
      closeNow();
    }
  }

  @Override
  public void drain() {
    checkTimeouts(nanoTime());
  }

  @Override
  public long idleSinceNanos(long nowNanos) {
    boolean hasRequest = readTimestamps == null || !exchanges.isEmpty() || pendingWrites > 0;
    return hasRequest ? BUSY : timeouts.idleSinceNanos(nowNanos);
  }

  @Override
  public ConnectionExchange newExchange(HttpRequest request, long startedNanos) {
    peer().headers().filter(request.headers(), isStream());
    return server.newExchange(this, request, startedNanos);
  }

  @Override
  public int maxRequests() {
    return server.options().limits().maxRequestsPerConnection();
  }

  /** Returns the times that the client takes. */
  @Override
  public ConnectionTimeouts timeouts() {
    return timeouts;
  }

  @Override
  public long readRate() {
    return timeouts.readRate();
  }

  @Override
  public void evict() {
    closeNow();
  }

  @Override
  public void closeNow() {
    if (ctx != null) {
      ctx.close();
    }
  }

  // Called by exchanges.

  public boolean isStream() {
    return readTimestamps == null;
  }

  /** Returns whether the connection ends with this response, or uses up a move to another loop. */
  boolean tryLeave(boolean stays) {
    return server.isDraining()
        || (stays && exchanges.size() == 1 && server.tryMoveAway(eventLoop()));
  }

  PendingBodyTracker pendingBodies() {
    return server.pendingBodies();
  }

  /** Returns the memory for bodies that are gathered before they pass through. */
  public BodyBudget gatheredBodies() {
    return server.gatheredBodies(network());
  }

  HttpOptions options() {
    return server.options();
  }

  @Override
  public long nanoTime() {
    return server.nanoTime();
  }

  EventLoop eventLoop() {
    return ctx().channel().eventLoop();
  }

  ByteBufAllocator allocator() {
    return ctx().alloc();
  }

  @Override
  public ClientNetwork network() {
    return ClientPeer.networkOf(ctx().channel());
  }

  /** Returns the client. */
  public ClientPeer peer() {
    ClientPeer known = peer;
    if (known == null) {
      known = ClientPeer.of(ctx().channel(), server.options().security().identity());
      peer = known;
    }
    return known;
  }

  public SocketAddress remoteAddress() {
    return peer().address();
  }

  public SocketAddress localAddress() {
    return ctx().channel().localAddress();
  }

  /** Returns the client's address as text. */
  public String remoteText() {
    return peer().text();
  }
}
