package dev.weir.http.connection;

import dev.weir.http.body.BodyContext;
import dev.weir.http.body.PendingBodyTracker;
import dev.weir.http.options.HttpCompression;
import dev.weir.http.options.HttpOptions;
import dev.weir.http.response.ResponseChannel;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.concurrent.TimeUnit;

/**
 * One exchange's part of its connection: the flow of the request's body, the writes of the
 * response, and whether the connection stays open afterwards. Confined to the connection's event
 * loop.
 *
 * <pre>
 *   KEEP_ALIVE --closeAfterResponse()--> CLOSE --announceClose()--> ANNOUNCE_CLOSE
 *        `-----------------------announceClose()---------------------^
 * </pre>
 */
public final class ExchangeChannel implements BodyContext, ResponseChannel {
  private enum Persistence {
    KEEP_ALIVE,
    /** The connection closes after the response, which does not say so. */
    CLOSE,
    /** The connection closes after the response, which says so. */
    ANNOUNCE_CLOSE
  }

  private final ClientConnection connection;
  private final ConnectionExchange exchange;
  private final HttpRequest request;

  /** Whether the client has said that it sends no further request. */
  private final boolean isLast;

  private Persistence persistence;

  // Who has paused the body, which flows when nobody has.
  private boolean pausedByReader;
  private boolean pausedToDecode;

  public ExchangeChannel(
      ClientConnection connection, ConnectionExchange exchange, HttpRequest request) {
    this.connection = connection;
    this.exchange = exchange;
    this.request = request;
    this.isLast = !connection.isStream() && HttpHeaderRules.shouldCloseConnection(request);
    this.persistence = isLast ? Persistence.CLOSE : Persistence.KEEP_ALIVE;
  }

  // The request.

  public HttpRequest request() {
    return request;
  }

  public HttpOptions options() {
    return connection.options();
  }

  public ClientConnection connection() {
    return connection;
  }

  /** Returns the protocol as logs and handlers show it. */
  public String protocolName() {
    return connection.isStream() ? "HTTP/2.0" : request.protocolVersion().text();
  }

  @Override
  public void pauseBody() {
    pausedByReader = true;
    connection.pauseForBody(exchange);
  }

  /** Returns whether the rest of the request is still to arrive. */
  public boolean isReceivingBody() {
    return connection.isReceiving(exchange);
  }

  @Override
  public void resumeBody() {
    pausedByReader = false;
    resumeUnlessPaused();
  }

  /**
   * Stops reading the body until {@link #resumeAfterDecoding}, even if its reader asks to resume
   * before: what has arrived is decoded first.
   */
  public void pauseToDecode() {
    pausedToDecode = true;
    connection.pauseForBody(exchange);
  }

  /** Resumes reading the body, unless its reader has paused it. */
  public void resumeAfterDecoding() {
    pausedToDecode = false;
    resumeUnlessPaused();
  }

  private void resumeUnlessPaused() {
    if (!pausedByReader && !pausedToDecode) {
      connection.resumeForBody(exchange);
    }
  }

  /** Sends {@code 100 Continue} once all earlier responses have left. */
  public void sendContinue() {
    connection.sendContinue(exchange);
  }

  @Override
  public PendingBodyTracker pendingBodies() {
    return connection.pendingBodies();
  }

  @Override
  public int maxContentBytes() {
    return connection.options().limits().maxContentBytes();
  }

  @Override
  public EventLoop eventLoop() {
    return connection.eventLoop();
  }

  @Override
  public ByteBufAllocator allocator() {
    return connection.allocator();
  }

  // Whether the connection stays open.

  public boolean shouldClose() {
    return persistence != Persistence.KEEP_ALIVE;
  }

  /**
   * Closes the connection after the response, which need not announce it. Later requests are not
   * served.
   */
  public void closeAfterResponse() {
    if (persistence == Persistence.KEEP_ALIVE) {
      persistence = Persistence.CLOSE;
    }
    connection.endWith(exchange);
  }

  /**
   * Closes the connection after the response, which announces it in its headers. Later requests are
   * not served.
   */
  public void announceClose() {
    persistence = Persistence.ANNOUNCE_CLOSE;
    connection.endWith(exchange);
  }

  /**
   * Announces in the response's headers that the connection closes, if it does and the protocol can
   * say so.
   */
  public void announceCloseIfClosing() {
    if (shouldClose() && !connection.isStream()) {
      announceClose();
    }
  }

  @Override
  public void addConnectionHeaders(HttpHeaders headers) {
    if (!connection.isStream()
        && (persistence == Persistence.ANNOUNCE_CLOSE
            || connection.tryLeave(persistence == Persistence.KEEP_ALIVE))) {
      announceClose();
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
  }

  // The response.

  /** Called when there is a response; the connection starts it after all earlier ones. */
  public void onResponseReady() {
    connection.onResponseReady(exchange);
  }

  /** Called when the last part of the response was written to the socket, or failed to be. */
  public void onLastWritten(boolean success) {
    connection.onLastWritten(exchange, success, isLast);
  }

  @Override
  public HttpVersion protocolVersion() {
    return request.protocolVersion();
  }

  @Override
  public boolean isHeadRequest() {
    return request.method().equals(HttpMethod.HEAD);
  }

  @Override
  public HttpCompression compression() {
    return connection.options().compression();
  }

  @Override
  public boolean isWritable() {
    return connection.isWritable();
  }

  @Override
  public void markChunked(HttpHeaders headers) {
    if (connection.isStream()) {
      return;
    }
    if (request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
      closeAfterResponse(); // the closed connection marks the end of the body
    } else {
      headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
  }

  @Override
  public ChannelFuture write(HttpObject part, int bytes) {
    return connection.write(exchange, part, bytes);
  }

  @Override
  public void writeLast(HttpObject part, int bytes) {
    connection.writeLast(exchange, part, bytes);
  }

  @Override
  public void holdResponse(long bytes) {
    ClientNetwork client = connection.network();
    connection.timeouts().onHeld(client, bytes, connection.nanoTime());
  }

  @Override
  public void releaseResponse(long bytes) {
    connection.timeouts().onReleased(connection.network(), bytes);
  }

  @Override
  public void flush() {
    connection.flush();
  }

  /** By the loop's timer: of its ordinary tasks the loop runs 64 before it looks at the time. */
  @Override
  public void executeLater(Runnable task) {
    eventLoop().schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public void resumeResponse() {
    exchange.resumeResponse();
  }

  @Override
  public void abortResponse() {
    connection.closeNow();
  }
}
