package dev.weir.http;

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
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's HTTP/1.1 connection, or one HTTP/2 stream: turns messages into exchanges, keeps
 * their answers in order, and stops reading when a client sends faster than its requests are taken.
 * Confined to its event loop.
 */
final class ClientConnection extends ChannelInboundHandlerAdapter
    implements Tended, ChannelFutureListener {

  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  /** An idle connection outlives the start of draining by this, to answer a request on its way. */
  private static final long DRAIN_IDLE_NANOS = 1_000_000_000L;

  private final Front front;
  private final @Nullable ByteWatch watch;
  private final ArrayDeque<Exchange> exchanges = new ArrayDeque<>(4);

  private @Nullable ChannelHandlerContext ctx;
  private @Nullable Intake intake;
  private @Nullable LoopConnections siblings;
  private @Nullable Exchange receiving;
  private @Nullable String remote;
  private boolean readingStopped;
  private boolean continueOwed;
  private boolean inRead;
  private boolean flushOwed;
  private int pendingWrites;
  private long readNanos;
  private long writeNanos;
  private long idleNanos;

  /**
   * Makes a handler.
   *
   * @param watch of the bytes before they are decoded; null for an HTTP/2 stream
   */
  ClientConnection(Front front, @Nullable ByteWatch watch) {
    this.front = front;
    this.watch = watch;
  }

  private ChannelHandlerContext ctx() {
    ChannelHandlerContext context = ctx;
    if (context == null) {
      throw new IllegalStateException(
          "got used outside of a pipeline (expected: after handlerAdded)");
    }
    return context;
  }

  private Intake intake() {
    Intake in = intake;
    if (in == null) {
      throw new IllegalStateException(
          "got used outside of a pipeline (expected: after handlerAdded)");
    }
    return in;
  }

  // From the channel.

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
    intake = new Intake(context, this::process, () -> readNanos = now());
    idleNanos = now();
    readNanos = idleNanos;
    siblings = front.of(context.channel().eventLoop());
    siblings.add(this);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    leave();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    inRead = true;
    if (!(message instanceof HttpObject part)) {
      // Bytes that a client sent on after it had asked for another protocol.
      ReferenceCountUtil.release(message);
      closeNow();
    } else if (readingStopped || !context.channel().isActive()) {
      // After a disconnect the codec still hands on the half that it has.
      ReferenceCountUtil.release(message);
    } else {
      intake().take(part);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    inRead = false;
    if (flushOwed) {
      flushOwed = false;
      context.flush();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    Exchange current = exchanges.peek();
    if (current != null && context.channel().isWritable()) {
      current.resumeAnswer();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    leave();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof IOException || cause instanceof CodecException) {
      LOG.debug("connection from {} failed", remote(), cause);
    } else {
      LOG.warn("connection from {} failed", remote(), cause);
    }
    context.close();
  }

  private void leave() {
    readingStopped = true;
    receiving = null;
    if (intake != null) {
      intake.discard();
    }
    for (Exchange exchange = exchanges.poll(); exchange != null; exchange = exchanges.poll()) {
      exchange.disconnected();
    }
    if (siblings != null) {
      siblings.remove(this);
    }
  }

  // Requests.

  private void process(HttpObject message) {
    if (readingStopped) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof HttpRequest request) {
      begin(request);
    }
    if (message instanceof HttpContent content) {
      if (receiving != null && receiving.atGate()) {
        intake()
            .putBack(
                content instanceof FullHttpMessage
                    ? new DefaultLastHttpContent(content.content())
                    : content);
        return;
      }
      try {
        take(content);
      } finally {
        content.release();
      }
    }
  }

  private void begin(HttpRequest request) {
    long startedNanos;
    if (watch == null) {
      startedNanos = now();
    } else {
      startedNanos = watch.firstNanos();
      watch.restart();
    }
    RequestHeads.stripReserved(request.headers(), watch == null);
    Exchange exchange = new Exchange(this, request, startedNanos);
    exchanges.add(exchange);
    receiving = exchange;
    exchange.begin(request instanceof FullHttpMessage full ? full.content() : null);
  }

  private void take(HttpContent content) {
    Exchange exchange = receiving;
    if (exchange == null) {
      return;
    }
    if (watch == null) {
      readNanos = now();
    }
    if (content.decoderResult().isFailure()) {
      receiving = null;
      if (!exchange.answered()) {
        exchange.undecodable(content.decoderResult().cause());
      }
      return;
    }
    ByteBuf bytes = content.content();
    if (bytes.isReadable()) {
      exchange.content(bytes);
    }
    if (content instanceof LastHttpContent) {
      receiving = null;
      if (watch != null) {
        watch.restart();
      }
      exchange.contentEnd();
      if (exchanges.size() >= front.options().limits().maxRequestsPerConnection()) {
        intake().pause(Intake.PIPELINE_FULL);
      }
      // Whoever held this body has it now; nobody will ask for more of it.
      intake().resume(Intake.BODY_HELD);
    }
  }

  /** Reads nothing more while the request being received waits at the gate. */
  void holdAtGate() {
    intake().pause(Intake.AT_GATE);
  }

  void releaseFromGate() {
    intake().resume(Intake.AT_GATE);
  }

  void pauseForBody(Exchange exchange) {
    if (receiving == exchange) {
      intake().pause(Intake.BODY_HELD);
    }
  }

  void resumeForBody(Exchange exchange) {
    if (receiving == exchange) {
      intake().resume(Intake.BODY_HELD);
    }
  }

  /** What the client sends from here on can't be understood: it is not read. */
  void stopReading() {
    readingStopped = true;
    receiving = null;
  }

  /** The body of the request being received was refused, and the client hears of it at once. */
  void bodyWillNotCome() {
    receiving = null;
    ctx().pipeline().fireUserEventTriggered(HttpExpectationFailedEvent.INSTANCE);
  }

  /** Whether no earlier answer is outstanding. */
  boolean isNext(Exchange exchange) {
    return exchanges.peek() == exchange;
  }

  /** Lets the client send the body, when no earlier answer is outstanding. */
  void sendContinue(Exchange exchange) {
    if (!isNext(exchange)) {
      continueOwed = true;
      return;
    }
    continueOwed = false;
    ctx()
        .writeAndFlush(
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
  }

  // Answers.

  /** An exchange's answer is there; it starts when its turn has come. */
  void answerReady(Exchange exchange) {
    if (isNext(exchange)) {
      exchange.startAnswer();
    }
  }

  /** Writes a part of an answer; says when it has left. */
  ChannelFuture write(Exchange exchange, HttpObject part, int bytes) {
    written(exchange, bytes);
    return ctx().write(part).addListener(this);
  }

  /** Writes the last part of an answer: the next exchange's turn has come. */
  void writeLast(Exchange exchange, HttpObject part, int bytes) {
    written(exchange, bytes);
    exchanges.poll();
    ctx().write(part).addListener(exchange);
    if (exchange.closeAfter()) {
      readingStopped = true;
      return;
    }
    intake().resume(Intake.PIPELINE_FULL);
    Exchange next = exchanges.peek();
    if (next == null) {
      idleNanos = writeNanos;
    } else {
      if (continueOwed && next == receiving) {
        sendContinue(next);
      }
      next.startAnswer();
    }
  }

  private void written(Exchange exchange, int bytes) {
    exchange.sent(bytes);
    if (pendingWrites++ == 0) {
      writeNanos = now();
    }
  }

  void flush() {
    if (inRead) {
      flushOwed = true;
    } else {
      ctx().flush();
    }
  }

  /** A part of an answer has left, or could not. */
  @Override
  public void operationComplete(ChannelFuture left) {
    pendingWrites--;
    writeNanos = now();
    if (!left.isSuccess()) {
      closeNow();
    }
  }

  /** The last part of an answer has left, or could not. */
  void lastWritten(Exchange exchange, boolean success) {
    pendingWrites--;
    writeNanos = now();
    if (!success || exchange.closeAfter()) {
      closeNow();
    }
  }

  boolean writable() {
    return ctx().channel().isWritable();
  }

  /** Goes on after the other connections of the event loop had their turn. */
  void later(Runnable task) {
    loop().execute(task);
  }

  /** Marks an answer whose length is not known. */
  void markChunked(HttpHeaders headers, Exchange exchange) {
    if (isStream()) {
      return;
    }
    if (exchange.request().protocolVersion().equals(HttpVersion.HTTP_1_0)) {
      exchange.closeAfterAnswer();
    } else {
      headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
  }

  // Time.

  @Override
  public void tend(long nowNanos) {
    HttpTimeouts timeouts = front.options().timeouts();
    long lastRead = watch == null ? readNanos : Math.max(readNanos, watch.lastNanos());
    if (pendingWrites > 0) {
      if (nowNanos - writeNanos > timeouts.write().toNanos()) {
        expire("took nothing of its answer for", timeouts.write().toMillis());
      }
    } else if (receiving != null) {
      if (!intake().paused() && nowNanos - lastRead > timeouts.body().toNanos()) {
        expire("sent nothing of its body for", timeouts.body().toMillis());
      }
    } else if (exchanges.isEmpty()) {
      if (watch != null && watch.begun()) {
        if (nowNanos - watch.firstNanos() > timeouts.head().toNanos()) {
          expire("did not send a whole head for", timeouts.head().toMillis());
        }
      } else if (nowNanos - idleNanos > timeouts.idle().toNanos()) {
        expire("sent no request for", timeouts.idle().toMillis());
      } else if (front.draining() && nowNanos - idleNanos > DRAIN_IDLE_NANOS) {
        closeNow();
      }
    }
  }

  private void expire(String what, long millis) {
    LOG.debug("client {} {} {} ms: connection closed", remote(), what, millis);
    closeNow();
  }

  @Override
  public void drain() {
    tend(now());
  }

  @Override
  public void closeNow() {
    if (ctx != null) {
      ctx.close();
    }
  }

  // What exchanges ask.

  boolean isStream() {
    return watch == null;
  }

  boolean draining() {
    return front.draining();
  }

  FrontDesk desk() {
    return front.desk();
  }

  Promises promises() {
    return front.promises();
  }

  HttpOptions options() {
    return front.options();
  }

  long now() {
    return front.now();
  }

  EventLoop loop() {
    return ctx().channel().eventLoop();
  }

  ByteBufAllocator allocator() {
    return ctx().alloc();
  }

  SocketAddress remoteAddress() {
    return ctx().channel().remoteAddress();
  }

  SocketAddress localAddress() {
    return ctx().channel().localAddress();
  }

  /** The client's address as text. */
  String remote() {
    String known = remote;
    if (known == null) {
      SocketAddress address = ctx == null ? null : ctx.channel().remoteAddress();
      known =
          address instanceof InetSocketAddress inet
              ? NetUtil.toSocketAddressString(inet)
              : String.valueOf(address);
      remote = known;
    }
    return known;
  }

  /** Requests under way, oldest first. */
  List<Exchange> exchanges() {
    return List.copyOf(exchanges);
  }
}
