package dev.weir.http.connection;

import dev.weir.http.body.BodyBudget;
import dev.weir.http.body.PendingBodyTracker;
import dev.weir.http.options.HttpOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.CodecException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpMessage;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpExpectationFailedEvent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's HTTP/1.1 connection, or one HTTP/2 stream. Creates an exchange for each request,
 * keeps responses in the order of their requests, and stops reading when a client sends faster than
 * its requests are processed. Confined to its event loop.
 */
public final class ClientConnection extends ChannelInboundHandlerAdapter
    implements MonitoredConnection, ChannelFutureListener {

  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  private static final String OUTSIDE_OF_PIPELINE =
      "got used outside of a pipeline (expected: after handlerAdded)";

  private final ServerContext server;
  private final @Nullable ReadTimestampHandler readTimestamps;
  private final ConnectionTimeouts timeouts;
  private final ArrayDeque<ConnectionExchange> exchanges = new ArrayDeque<>(4);

  private @Nullable ChannelHandlerContext ctx;
  private @Nullable InboundMessageQueue inbound;
  private @Nullable EventLoopConnections loopConnections;
  private @Nullable ConnectionExchange receiving;
  private @Nullable ClientPeer peer;
  private boolean readingStopped;
  private boolean continuePending;
  private boolean reading;
  private boolean flushPending;
  private int pendingWrites;

  /**
   * Creates the handler of one connection or stream.
   *
   * @param readTimestamps times the bytes before they are decoded; null for an HTTP/2 stream
   */
  public ClientConnection(ServerContext server, @Nullable ReadTimestampHandler readTimestamps) {
    this.server = server;
    this.readTimestamps = readTimestamps;
    this.timeouts =
        new ConnectionTimeouts(
            server.options(), server.heldResponses(), readTimestamps, server.nanoTime());
  }

  private ChannelHandlerContext ctx() {
    return Objects.requireNonNull(ctx, OUTSIDE_OF_PIPELINE);
  }

  private InboundMessageQueue inbound() {
    return Objects.requireNonNull(inbound, OUTSIDE_OF_PIPELINE);
  }

  // Called by the channel.

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
    inbound =
        new InboundMessageQueue(context, this::process, () -> timeouts.onReadResumed(nanoTime()));
    loopConnections = server.connectionsOf(context.channel().eventLoop());
    loopConnections.add(this);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    onClosed();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    reading = true;
    if (!(message instanceof HttpObject part)) {
      // Bytes that a client sent after it had asked for another protocol.
      ReferenceCountUtil.release(message);
      closeNow();
    } else if (readingStopped || !context.channel().isActive()) {
      // After a disconnect the codec still delivers a partial message.
      ReferenceCountUtil.release(message);
    } else {
      inbound().accept(part);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    reading = false;
    if (flushPending) {
      flushPending = false;
      context.flush();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    ConnectionExchange current = exchanges.peek();
    if (current != null && context.channel().isWritable()) {
      current.resumeResponse();
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
      context.close();
    }
  }

  private void onClosed() {
    readingStopped = true;
    receiving = null;
    if (inbound != null) {
      inbound.discard();
    }
    for (ConnectionExchange exchange = exchanges.poll();
        exchange != null;
        exchange = exchanges.poll()) {
      exchange.onClientDisconnected();
    }
    if (loopConnections != null) {
      loopConnections.remove(this);
    }
  }

  // Requests.

  private void process(HttpObject message) {
    if (readingStopped) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof HttpRequest request) {
      beginExchange(request);
    }
    if (message instanceof HttpContent content) {
      if (receiving != null && receiving.isAwaitingAdmission()) {
        inbound()
            .putBack(
                content instanceof FullHttpMessage
                    ? new DefaultLastHttpContent(content.content())
                    : content);
        return;
      }
      try {
        handleContent(content);
      } finally {
        content.release();
      }
    }
  }

  private void beginExchange(HttpRequest request) {
    long startedNanos;
    if (readTimestamps == null) {
      startedNanos = nanoTime();
    } else {
      startedNanos = readTimestamps.firstReadNanos();
      readTimestamps.reset();
    }
    peer().headers().filter(request.headers(), readTimestamps == null);
    ConnectionExchange exchange = server.newExchange(this, request, startedNanos);
    exchanges.add(exchange);
    receiving = exchange;
    timeouts.onBodyStart(nanoTime());
    exchange.start(request instanceof FullHttpMessage full ? full.content() : null);
  }

  private void handleContent(HttpContent content) {
    ConnectionExchange exchange = receiving;
    if (exchange == null) {
      return;
    }
    timeouts.onBodyRead(content.content().readableBytes(), nanoTime());
    if (content.decoderResult().isFailure()) {
      receiving = null;
      if (!exchange.hasResponse()) {
        exchange.onDecodingFailure(content.decoderResult().cause());
      }
      return;
    }
    ByteBuf bytes = content.content();
    if (bytes.isReadable()) {
      exchange.onBodyChunk(bytes);
    }
    if (content instanceof LastHttpContent) {
      receiving = null;
      if (readTimestamps != null) {
        readTimestamps.reset();
      }
      exchange.onBodyEnd();
      if (exchanges.size() >= server.options().limits().maxRequestsPerConnection()) {
        inbound().pause(InboundMessageQueue.PIPELINE_FULL);
      }
      // The body's owner has released its buffers and reads no more of it.
      inbound().resume(InboundMessageQueue.BODY_PAUSED);
    }
  }

  /** Stops reading until the header filter admits the request being received. */
  public void pauseForAdmission() {
    inbound().pause(InboundMessageQueue.AWAITING_ADMISSION);
  }

  public void resumeAfterAdmission() {
    inbound().resume(InboundMessageQueue.AWAITING_ADMISSION);
  }

  void pauseForBody(ConnectionExchange exchange) {
    if (isReceiving(exchange)) {
      inbound().pause(InboundMessageQueue.BODY_PAUSED);
    }
  }

  void resumeForBody(ConnectionExchange exchange) {
    if (isReceiving(exchange)) {
      inbound().resume(InboundMessageQueue.BODY_PAUSED);
    }
  }

  private boolean isReceiving(ConnectionExchange exchange) {
    return isSame(receiving, exchange);
  }

  @SuppressWarnings("ReferenceEquality")
  private static boolean isSame(
      @Nullable ConnectionExchange one, @Nullable ConnectionExchange other) {
    return one == other;
  }

  /** Stops reading: the bytes that follow can't be decoded. */
  public void stopReading() {
    readingStopped = true;
    receiving = null;
  }

  /** Stops receiving a rejected body; Netty then skips a body that the client does not send. */
  public void skipRefusedBody() {
    receiving = null;
    ctx().pipeline().fireUserEventTriggered(HttpExpectationFailedEvent.INSTANCE);
  }

  /** Returns whether all earlier responses have left. */
  boolean isNext(ConnectionExchange exchange) {
    return isSame(exchanges.peek(), exchange);
  }

  /** Sends {@code 100 Continue} once all earlier responses have left. */
  void sendContinue(ConnectionExchange exchange) {
    if (!isNext(exchange)) {
      continuePending = true;
      return;
    }
    continuePending = false;
    ctx()
        .writeAndFlush(
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
  }

  // Responses.

  /** Called when an exchange has a response; starts it if all earlier responses have left. */
  void onResponseReady(ConnectionExchange exchange) {
    if (isNext(exchange)) {
      exchange.startResponse();
    }
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
    exchanges.poll();
    ctx().write(part).addListener(exchange);
    if (exchange.shouldClose()) {
      readingStopped = true;
      return;
    }
    inbound().resume(InboundMessageQueue.PIPELINE_FULL);
    ConnectionExchange next = exchanges.peek();
    if (next == null) {
      timeouts.onIdle();
    } else {
      if (continuePending && isReceiving(next)) {
        sendContinue(next);
      }
      next.startResponse();
    }
  }

  private void onWritten(ConnectionExchange exchange, int bytes) {
    exchange.onBytesSent(bytes);
    if (pendingWrites++ == 0) {
      timeouts.onWriteStart(nanoTime());
    }
  }

  void flush() {
    if (reading) {
      flushPending = true;
    } else {
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

  /** Called when the last part of a response was written to the socket, or failed to be. */
  void onLastWritten(ConnectionExchange exchange, boolean success) {
    pendingWrites--;
    timeouts.onWriteEnd(nanoTime());
    if (!success || exchange.shouldClose()) {
      closeNow();
    }
  }

  boolean isWritable() {
    return ctx().channel().isWritable();
  }

  @Override
  public void checkTimeouts(long nowNanos) {
    ConnectionTimeouts.Expiry expiry = null;
    if (pendingWrites > 0) {
      expiry = timeouts.checkWriting(nowNanos);
    } else if (receiving != null) {
      expiry = timeouts.checkReceiving(nowNanos, inbound().isPaused());
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

  /** Returns the times that the client takes. */
  ConnectionTimeouts timeouts() {
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
    return peer().network();
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
