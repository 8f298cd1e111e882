package dev.weir.http.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpMessage;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Receives the requests of one connection or stream: begins an exchange for each, passes its body
 * on, and does not read while the client sends faster than its requests are processed. Once the
 * connection is about to end it drops what arrives. Confined to its event loop.
 */
final class RequestReceiver {
  private final ReceivingConnection connection;
  private final ExchangeQueue exchanges;
  private final @Nullable ReadTimestampHandler readTimestamps;
  private final @Nullable InboundByteQueue bytes;
  private final InboundMessageQueue messages;

  /** The exchange whose request is arriving; null between two requests. */
  private @Nullable ConnectionExchange receiving;

  private boolean isStopped;

  /** Whether the client has sent, or may still send, what no exchange gets. */
  private boolean hasUnread;

  /**
   * Creates the receiver of a connection that opens now.
   *
   * @param exchanges gets each exchange
   * @param readTimestamps times the bytes before they are decoded; null for an HTTP/2 stream
   * @param bytes has what was received and not decoded; null for an HTTP/2 stream
   */
  RequestReceiver(
      ReceivingConnection connection,
      ExchangeQueue exchanges,
      ChannelHandlerContext ctx,
      @Nullable ReadTimestampHandler readTimestamps,
      @Nullable InboundByteQueue bytes) {
    this.connection = connection;
    this.exchanges = exchanges;
    this.readTimestamps = readTimestamps;
    this.bytes = bytes;
    this.messages =
        new InboundMessageQueue(
            ctx,
            bytes,
            this::process,
            () -> connection.timeouts().onReadResumed(connection.nanoTime()));
    if (bytes != null) {
      bytes.attach(messages);
    }
  }

  // Messages.

  /** Takes a decoded message, which it owns. */
  void accept(HttpObject message) {
    if (isStopped) {
      drop(message);
    } else {
      messages.accept(message);
    }
  }

  private void process(HttpObject message) {
    if (isStopped) {
      drop(message);
      return;
    }
    if (message instanceof HttpRequest request) {
      beginExchange(request);
    }
    if (message instanceof HttpContent content) {
      if (receiving != null && receiving.isAwaitingAdmission()) {
        messages.putBack(
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
      startedNanos = connection.nanoTime();
    } else {
      startedNanos = readTimestamps.firstReadNanos();
      readTimestamps.reset();
    }
    ConnectionExchange exchange = connection.newExchange(request, startedNanos);
    exchanges.add(exchange);
    receiving = exchange;
    connection.timeouts().onBodyStart(connection.nanoTime());
    exchange.start(request instanceof FullHttpMessage full ? full.content() : null);
  }

  private void handleContent(HttpContent content) {
    ConnectionExchange exchange = receiving;
    if (exchange == null) {
      return;
    }
    connection.timeouts().onBodyRead(content.content().readableBytes(), connection.nanoTime());
    if (content.decoderResult().isFailure()) {
      receiving = null;
      if (exchange.hasResponse()) {
        connection.endAfterBrokenBody(exchange);
      } else {
        exchange.onDecodingFailure(content.decoderResult().cause());
      }
      return;
    }
    ByteBuf piece = content.content();
    if (piece.isReadable()) {
      exchange.onBodyChunk(piece);
    }
    if (content instanceof LastHttpContent) {
      receiving = null;
      if (readTimestamps != null) {
        readTimestamps.reset();
      }
      exchange.onBodyEnd();
      if (exchange.shouldClose()) {
        stopRequests();
      } else if (exchanges.size() >= connection.maxRequests()) {
        messages.pause(InboundMessageQueue.PIPELINE_FULL);
      }
      // The body's owner has released its buffers and reads no more of it.
      messages.resume(InboundMessageQueue.BODY_PAUSED);
    }
  }

  /** Drops a message, which no exchange gets. */
  void drop(HttpObject message) {
    if (receiving == null) {
      hasUnread = true;
    } else if (message instanceof LastHttpContent && message.decoderResult().isSuccess()) {
      receiving = null; // the whole body has arrived
    }
    ReferenceCountUtil.release(message);
  }

  /** Returns whether the rest of a request is still to arrive. */
  boolean isReceiving() {
    return receiving != null;
  }

  /** Returns whether the rest of this exchange's request is still to arrive. */
  @SuppressWarnings("ReferenceEquality")
  boolean isReceiving(ConnectionExchange exchange) {
    return receiving == exchange;
  }

  // Pauses.

  boolean isPaused() {
    return messages.isPaused();
  }

  /** Stops reading until the header filter admits the request being received. */
  void pauseForAdmission() {
    messages.pause(InboundMessageQueue.AWAITING_ADMISSION);
  }

  void resumeAfterAdmission() {
    messages.resume(InboundMessageQueue.AWAITING_ADMISSION);
  }

  void pauseForBody(ConnectionExchange exchange) {
    if (isReceiving(exchange)) {
      messages.pause(InboundMessageQueue.BODY_PAUSED);
    }
  }

  void resumeForBody(ConnectionExchange exchange) {
    if (isReceiving(exchange)) {
      messages.resume(InboundMessageQueue.BODY_PAUSED);
    }
  }

  /** Reads on if reading was paused because too many requests were in flight. */
  void resumeAfterResponse() {
    messages.resume(InboundMessageQueue.PIPELINE_FULL);
  }

  // The end.

  /** Drops what arrives from now on, also the rest of a body. */
  void stop() {
    isStopped = true;
  }

  /** Stops, as nothing tells which of the bytes that follow belong to a request. */
  void stopReading() {
    hasUnread = true;
    stopRequests();
  }

  /**
   * Begins no exchange after this one: the connection closes after its response. The rest of its
   * request is still received.
   */
  void endWith(ConnectionExchange last) {
    if (!isReceiving(last)) {
      stopRequests();
    }
  }

  private void stopRequests() {
    hasUnread |= receiving != null || !messages.isEmpty();
    isStopped = true;
    receiving = null;
    messages.discard();
  }

  /** Returns whether the client has sent, or may still send, what nobody has read. */
  boolean hasUnread() {
    return hasUnread || receiving != null || !messages.isEmpty();
  }

  /** Called when the connection has ended. */
  void onClosed() {
    isStopped = true;
    receiving = null;
    messages.discard();
  }

  /** Called when the connection switches to HTTP/2: further bytes are not its own. */
  void detach() {
    if (bytes != null) {
      bytes.detach();
    }
  }
}
