package dev.weir.gateway.http;

import dev.weir.gateway.http.proxy.ProxyFailure;
import dev.weir.gateway.http.proxy.ProxyRequest;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.RequestLog;
import dev.weir.model.RequestRouter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer. Confined to its channel's event loop.
 *
 * <pre>
 *   received --> answered --> finished      finished exactly once, by the last byte or the disconnect
 *       `------------------------^
 * </pre>
 */
final class Exchange implements HttpExchange, GatheredBody.Reader, ChannelFutureListener {

  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final ByteBuffer NO_BODY = ByteBuffer.allocate(0).asReadOnlyBuffer();

  /** What a request that went away before its answer is logged as. */
  private static final int GONE = 499;

  private final ClientConnection connection;
  private final HttpRequest request;
  private final long startedNanos;
  private final long startedMillis = System.currentTimeMillis();
  private boolean closeAfter;

  private BodySink sink = BodySink.DISCARD;
  private @Nullable GatheredBody body;
  private @Nullable Answer answer;
  private @Nullable List<Runnable> onDisconnect;
  private boolean answered;
  private boolean handed;
  private boolean relayed;
  private boolean gone;
  private boolean finished;

  private String path = "local";
  private String action = "other";
  private String reason = "";
  private int status;
  private long requestBytes;
  private long responseBytes;

  Exchange(ClientConnection connection, HttpRequest request, long startedNanos) {
    this.connection = connection;
    this.request = request;
    this.startedNanos = startedNanos;
    this.closeAfter = !connection.isStream() && RequestHeads.closes(request);
  }

  // The request, as its connection delivers it.

  /**
   * Decides what becomes of the request by its head.
   *
   * @param whole the body when it came with the head, borrowed; null when it follows
   */
  void begin(@Nullable ByteBuf whole) {
    if (request.decoderResult().isFailure()) {
      undecodable(request.decoderResult().cause());
      return;
    }
    if (!RequestHeads.known(request.method())) {
      // A node closes the connection without a word.
      LOG.debug("got method {} from {}", request.method(), connection.remote());
      vanish(405);
      return;
    }
    long length = RequestHeads.contentLength(request);
    switch (RequestHeads.expectation(request, length, connection.options().limits())) {
      case NONE -> {}
      case CONTINUE -> connection.sendContinue(this);
      case TOO_LONG -> {
        connection.bodyWillNotCome();
        refuseBare(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
        return;
      }
      case UNKNOWN -> {
        connection.bodyWillNotCome();
        refuseBare(HttpResponseStatus.EXPECTATION_FAILED);
        return;
      }
    }
    if (length > connection.options().limits().maxContentBytes()) {
      refuseBare(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
      return;
    }
    switch (connection.desk().router().route(request.method().name(), request.uri())) {
      case RequestRouter.Coordinate way -> {
        path = "coordinated";
        action = way.action();
        GatheredBody gathered =
            new GatheredBody(
                this,
                connection.desk().budget(),
                connection.options().limits().maxContentBytes(),
                length,
                ContentDecoding.open(request.headers(), connection.allocator()));
        body = gathered;
        sink = gathered;
      }
      case RequestRouter.PassThrough way ->
          relay(
              way.reason(),
              whole != null
                  ? whole.retain()
                  : RequestHeads.hasBody(request, length) ? null : Unpooled.EMPTY_BUFFER);
    }
  }

  /** A piece of the body arrived; borrowed. */
  void content(ByteBuf piece) {
    int size = piece.readableBytes();
    if (size > 0) {
      requestBytes += size;
      sink.content(piece);
    }
  }

  /** The body is complete. */
  void contentEnd() {
    BodySink complete = sink;
    sink = BodySink.DISCARD;
    complete.end();
  }

  /** The request turned out not to be HTTP. */
  void undecodable(Throwable failure) {
    closeAfter = true;
    connection.stopReading();
    sink = BodySink.DISCARD;
    if (relayed && answer != null && !answered) {
      answer.drop();
      answer = null;
    }
    refuse(ErrorBody.undecodable(failure), Map.of());
  }

  @Override
  public void onBody() {
    handed = true;
    try {
      HttpHeaders headers = request.headers();
      headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
      if (body != null && !headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
        headers.set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body.length()));
      }
      connection.desk().handler().handle(this);
    } catch (RuntimeException e) {
      LOG.error("handler failed on {} {}", method(), uri(), e);
      refuse(new ErrorBody(500, "exception", String.valueOf(e)), Map.of());
    }
  }

  @Override
  public void onTooLong() {
    sink = BodySink.DISCARD;
    freeBody();
    closeAfter |= !connection.isStream();
    refuseBare(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
  }

  @Override
  public void onNoRoom(long wanted) {
    sink = BodySink.DISCARD;
    freeBody();
    BodyBudget budget = connection.desk().budget();
    refuse(Refusals.noRoom(budget.used() + wanted, budget.limit()), Refusals.RETRY_SOON);
  }

  @Override
  public void onCorrupt(DecompressionException failure) {
    // A node closes the connection without a word.
    LOG.debug("got a body from {} that is not what it says", connection.remote(), failure);
    vanish(400);
  }

  // HttpExchange.

  @Override
  public String method() {
    return request.method().name();
  }

  @Override
  public String uri() {
    return request.uri();
  }

  @Override
  public String protocolVersion() {
    return connection.isStream() ? "HTTP/2.0" : request.protocolVersion().text();
  }

  @Override
  public List<Map.Entry<String, String>> headers() {
    return request.headers().entries();
  }

  @Override
  public ByteBuffer body() {
    GatheredBody gathered = body;
    return gathered == null ? NO_BODY : gathered.bytes();
  }

  @Override
  public SocketAddress remoteAddress() {
    return connection.remoteAddress();
  }

  @Override
  public Executor home() {
    return connection.loop();
  }

  @Override
  public void onDisconnect(Runnable action) {
    if (gone) {
      action.run();
      return;
    }
    List<Runnable> actions = onDisconnect;
    if (actions == null) {
      actions = new ArrayList<>(2);
      onDisconnect = actions;
    }
    actions.add(action);
  }

  @Override
  public void respond(HttpReply reply) {
    if (!connection.loop().inEventLoop()) {
      connection.loop().execute(() -> respond(reply));
      return;
    }
    if (answered || relayed || finished) {
      if (!finished) {
        LOG.error("got a second answer to {} {} (expected: one)", method(), uri());
      }
      reply.onReleased().run();
      return;
    }
    answerWith(reply, HttpResponseStatus.valueOf(reply.status()));
  }

  @Override
  public void passThrough(String why) {
    if (!connection.loop().inEventLoop()) {
      connection.loop().execute(() -> passThrough(why));
      return;
    }
    if (answered || finished || relayed) {
      return;
    }
    ByteBuffer gathered = body();
    relay(why, gathered.hasRemaining() ? Unpooled.wrappedBuffer(gathered) : Unpooled.EMPTY_BUFFER);
  }

  // Answers.

  private void relay(String why, @Nullable ByteBuf whole) {
    path = "passthrough";
    reason = why;
    relayed = true;
    RelayAnswer relay = new RelayAnswer(this);
    answer = relay;
    if (whole == null) {
      sink = relay;
    }
    if (request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
      // A node sends no coded content to such a client.
      request.headers().remove(HttpHeaderNames.ACCEPT_ENCODING);
    }
    HttpHeaders headers = whole == null ? request.headers() : request.headers().copy();
    relay.along(
        connection
            .desk()
            .proxy()
            .open(
                connection.loop(),
                new ProxyRequest(request.method(), request.uri(), headers, whole),
                relay));
  }

  /** The node's answer has begun. */
  void answerBegun(int code) {
    status = code;
    answered = true;
    connection.answerReady(this);
  }

  /** The node's answer did not come. */
  void relayFailed(ProxyFailure failure) {
    answered = false;
    sink = BodySink.DISCARD;
    refuse(
        new ErrorBody(failure.status(), failure.type(), failure.reason()),
        failure.status() == 429 ? Refusals.RETRY_SOON : Map.of());
  }

  private void answerWith(HttpReply reply, HttpResponseStatus code) {
    HttpHeaders headers;
    try {
      headers = RequestHeads.answerHeaders(request, reply, connection.options().serverVersion());
    } catch (IllegalArgumentException e) {
      reply.onReleased().run();
      LOG.error("got a header that can't be sent for {} {}", method(), uri(), e);
      if (reply.headers().isEmpty()) {
        vanish(500);
      } else {
        refuse(
            new ErrorBody(500, "illegal_argument_exception", String.valueOf(e.getMessage())),
            Map.of());
      }
      return;
    }
    ContentCoding coding = null;
    if (!bodyless()
        && !headers.contains(HttpHeaderNames.CONTENT_ENCODING)
        && !request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
      coding = RequestHeads.coding(request, connection.options().compression());
    }
    finishHead(headers);
    answer(new ReplyAnswer(this, code, headers, reply.body(), reply.onReleased(), coding));
    status = code.code();
  }

  private void refuse(ErrorBody error, Map<String, String> headers) {
    if (answered || finished) {
      return;
    }
    path = relayed ? path : "local";
    answerWith(
        new HttpReply(
            error.status(),
            "application/json; charset=UTF-8",
            List.copyOf(headers.entrySet()),
            List.of(error.bytes(RequestHeads.pretty(uri()))),
            () -> {}),
        HttpResponseStatus.valueOf(error.status()));
  }

  /** Answers as Netty's aggregator does for a node: nothing but the status. */
  private void refuseBare(HttpResponseStatus code) {
    if (answered || finished) {
      return;
    }
    HttpHeaders headers = DefaultHttpHeadersFactory.headersFactory().newHeaders();
    if (closeAfter) {
      ReplyAnswer.announceClose(headers);
    }
    status = code.code();
    answer(new ReplyAnswer(this, code, headers, List.of(), () -> {}, null));
  }

  private void answer(ReplyAnswer given) {
    answer = given;
    answered = true;
    connection.answerReady(this);
  }

  /** The connection's part of an answer's head. */
  void finishHead(HttpHeaders headers) {
    if (!connection.isStream() && connection.draining()) {
      closeAfter = true;
      ReplyAnswer.announceClose(headers);
    }
  }

  /** Its turn to answer has come, and there is an answer. */
  void startAnswer() {
    if (answered && answer != null) {
      answer.start();
    }
  }

  boolean answered() {
    return answered;
  }

  void resumeAnswer() {
    if (answered && answer != null) {
      answer.resume();
    }
  }

  /** An answer that has begun can't be completed: the client must not take it for complete. */
  void breakOff() {
    connection.closeNow();
  }

  private void vanish(int code) {
    status = code;
    finished = true;
    sink = BodySink.DISCARD;
    freeBody();
    log();
    connection.closeNow();
  }

  // The end.

  /** The last byte was written, or could not be. */
  @Override
  public void operationComplete(ChannelFuture written) {
    connection.lastWritten(this, written.isSuccess());
    finish(written.isSuccess());
  }

  /** The client went away before the last byte was written. */
  void disconnected() {
    finish(false);
  }

  private void finish(boolean complete) {
    if (finished) {
      return;
    }
    finished = true;
    sink = BodySink.DISCARD;
    if (!complete) {
      status = GONE;
    }
    Answer last = answer;
    answer = null;
    if (last instanceof ReplyAnswer reply) {
      reply.released();
    } else if (last != null && !complete) {
      last.drop();
    }
    gone = !complete;
    if (gone && onDisconnect != null) {
      for (Runnable disconnected : onDisconnect) {
        disconnected.run();
      }
    }
    onDisconnect = null;
    freeBody();
    log();
  }

  private void freeBody() {
    GatheredBody gathered = body;
    if (gathered != null) {
      body = null;
      // What may still be read by the handler or the way to a node is not used again.
      if ((handed && (gone || !answered)) || relayed) {
        gathered.abandon();
      } else {
        gathered.free();
      }
    }
  }

  private void log() {
    String opaqueId = request.headers().get(RequestHeads.OPAQUE_ID);
    connection
        .desk()
        .log()
        .accept(
            new RequestLog(
                startedMillis,
                connection.remote(),
                method(),
                uri(),
                protocolVersion(),
                path,
                action,
                reason,
                status,
                requestBytes,
                responseBytes,
                connection.now() - startedNanos,
                opaqueId == null ? "" : opaqueId));
  }

  // What the connection and the answers ask.

  ClientConnection connection() {
    return connection;
  }

  boolean closeAfter() {
    return closeAfter;
  }

  /** The end of the connection is the end of the answer. */
  void closeAfterAnswer() {
    closeAfter = true;
  }

  /** Whether the answer has no body whatever its length says. */
  boolean bodyless() {
    return request.method().equals(HttpMethod.HEAD);
  }

  HttpVersion answerVersion() {
    return request.protocolVersion();
  }

  void sent(int bytes) {
    responseBytes += bytes;
  }
}
