package dev.weir.http;

import dev.weir.http.proxy.ProxyFailure;
import dev.weir.model.BodyStreamingOptions;
import dev.weir.model.BufferedResponse;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestRouter;
import dev.weir.model.ResponseBody;
import dev.weir.model.StreamingResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer, from the first byte of the one to the last byte of the other.
 * Confined to its channel's event loop.
 *
 * <pre>
 *   received --> answered --> finished     finished exactly once: by the last byte, by the
 *       `------------------------^         disconnect, or because the connection is closed unanswered
 * </pre>
 *
 * Answered is who has an {@link ResponseWriter} that may be written once its turn has come.
 */
final class ClientExchange implements ChannelFutureListener {
  private static final Logger LOG = LoggerFactory.getLogger(ClientExchange.class);

  /** What a request that went away before its answer is logged as. */
  private static final int CLIENT_CLOSED_REQUEST = 499;

  private final ClientConnection connection;
  private final HttpRequest request;
  private final RequestLogBuilder logBuilder;
  private boolean shouldClose;
  private boolean closeAnnounced;
  private BodySink sink = BodySink.DISCARD;
  private @Nullable RequestIntake intake;
  private @Nullable CoordinatedExchange coordinated;
  private @Nullable ResponseWriter writer;
  private boolean hasResponse;
  private boolean proxied;
  private boolean finished;

  ClientExchange(ClientConnection connection, HttpRequest request, long startedNanos) {
    this.connection = connection;
    this.request = request;
    this.logBuilder = new RequestLogBuilder(System.currentTimeMillis(), startedNanos);
    this.shouldClose = !connection.isStream() && HttpHeaderRules.shouldCloseConnection(request);
  }

  // The request, as its connection delivers it.

  /**
   * Decides what becomes of the request by its head.
   *
   * @param whole the body when it came with the head, borrowed; null when it follows
   */
  void start(@Nullable ByteBuf whole) {
    switch (InvalidHeaders.find(request)) {
      case InvalidHeaders.Undecodable(Throwable why) -> onDecodingFailure(why);
      case InvalidHeaders.Unsupported(int code, String why) -> closeSilently(code, why);
      case null -> route(whole);
    }
  }

  private void route(@Nullable ByteBuf whole) {
    logBuilder.start(request, connection.options().traces());
    RequestIntake door = new RequestIntake(this);
    intake = door;
    door.start(whole);
  }

  /** Whether the request waits at the gate: its body must wait too. */
  boolean isAwaitingAdmission() {
    return intake != null && intake.isDelayed();
  }

  long maxBufferedBytes() {
    return connection.environment().bodyBudget().limit() / 2;
  }

  /** Where its head and body say that it goes. */
  RequestIntake intake() {
    return Objects.requireNonNull(intake, "got no entry (expected: a head that was read)");
  }

  /**
   * Gathers the body and has the request coordinated, or answered by the gateway itself.
   *
   * @return the bytes for which there is no room; 0 when there is
   */
  long bufferBody(RequestRouter.Decision way, long announced) {
    logBuilder.intendedRoute(way);
    return way instanceof RequestRouter.Coordinate(_, BodyStreamingOptions streaming)
        ? bufferBody(announced, true, streaming)
        : bufferBody(announced, false, null);
  }

  /** Who gathers its body; null while nobody does. */
  @Nullable CoordinatedExchange coordinated() {
    return coordinated;
  }

  private long bufferBody(
      long announced, boolean mayPassThrough, @Nullable BodyStreamingOptions streaming) {
    int longest = connection.options().limits().maxContentBytes();
    int most = mayPassThrough ? (int) Math.min(longest, maxBufferedBytes()) : longest;
    if (streaming != null) {
      most = (int) Math.min(most, streaming.initialBufferBytes(announced));
    }
    CoordinatedExchange gathering =
        new CoordinatedExchange(this, announced, most, mayPassThrough && most < longest, streaming);
    coordinated = gathering;
    long lacking = gathering.reserve();
    if (lacking == 0) {
      sink = gathering.sink();
    }
    return lacking;
  }

  /** A piece of the body arrived; borrowed. */
  void onBodyChunk(ByteBuf piece) {
    logBuilder.addRequestBytes(piece.readableBytes());
    if (intake != null) {
      intake.onBytesReceived(piece.readableBytes());
    }
    sink.acceptContent(piece);
  }

  /** The body is complete. */
  void onBodyEnd() {
    BodySink complete = sink;
    sink = BodySink.DISCARD;
    complete.complete();
  }

  /** The request turned out not to be HTTP. */
  void onDecodingFailure(Throwable failure) {
    shouldClose = true;
    connection.stopReading();
    BodySink broken = sink;
    sink = BodySink.DISCARD;
    if (!broken.fail(failure)) {
      rejectBody(failure);
    }
  }

  /** Nothing can be made of the body: the rest of it is read for nothing. */
  private void rejectBody(Throwable why) {
    sink = BodySink.DISCARD;
    ResponseWriter awaited = writer;
    if (awaited != null && !hasResponse) {
      writer = null;
      awaited.close(false);
    }
    connection.resumeForBody(this);
    rejectWith(ErrorBody.ofDecodingFailure(why), Map.of());
  }

  /** The body is not what it says, or can't be what it has to become. */
  void onCorruptBody(DecompressionException failure) {
    if (!(failure instanceof BodyTransformException)) {
      closeSilently(400, "got a body that is not what it says: " + failure.getMessage());
    } else if (!hasResponse) {
      rejectBody(failure);
    } else if (proxied && logBuilder.isRejection()) { // the node's word, without the rest of it
      sink = BodySink.DISCARD;
      connection.resumeForBody(this);
    } else {
      abortResponse();
    }
  }

  // Answers.

  /**
   * Sends the request through to a node.
   *
   * @param whole its body, owned; null when it follows
   */
  void proxy(RequestRouter.PassThrough way, @Nullable ByteBuf whole) {
    if (!canRespond()) {
      if (whole != null) {
        whole.release();
      }
      return;
    }
    ProxiedResponse relay = new ProxiedResponse(this, way, null, intake().copyForReplay(whole));
    proxy(way, relay, whole, relay);
  }

  /** What more comes of the body goes here. */
  void redirectBodyTo(BodySink streamed) {
    sink = streamed;
  }

  /** Sends the request through to a node with a body that was only begun to be gathered. */
  void proxy(RequestRouter.PassThrough way, SpilloverBody body) {
    if (!canRespond()) {
      body.discard();
      return;
    }
    proxy(way, new ProxiedResponse(this, way, body, null), null, body);
  }

  private void proxy(
      RequestRouter.PassThrough way,
      ProxiedResponse relay,
      @Nullable ByteBuf whole,
      BodySink rest) {
    logBuilder.setPassedThrough(way.reason());
    proxied = true;
    writer = relay;
    sink = whole == null ? rest : sink;
    relay.open(whole);
  }

  /** The node's answer has begun. */
  void onResponseHeaders(int code) {
    logBuilder.status(code);
    hasResponse = true;
    connection.onResponseReady(this);
  }

  /**
   * The node's answer did not come, and nothing of it was sent; whether others get the body.
   *
   * @param body to send once more; its owner's unless true is returned; null for none
   */
  boolean onProxyFailure(ProxyFailure failure, String reason, @Nullable ReplayableBody body) {
    hasResponse = false;
    sink = BodySink.DISCARD;
    RequestRouter.Decision bare = intake().failOverPassThrough(failure);
    if (bare != null) {
      proxied = false;
      writer = null;
      continueOn(bare);
      return false;
    }
    RequestRouter.PassThrough again = intake().failOverPassThrough(failure, reason, body);
    if (again == null || body == null) {
      rejectWith(
          ErrorBody.of(failure),
          RequestIntake.isSaturated(failure) ? RejectionResponses.RETRY_AFTER_HEADERS : Map.of());
      return false;
    }
    ProxiedResponse relay = new ProxiedResponse(this, again, null, body);
    proxy(again, relay, body.replay(), relay);
    return true;
  }

  /** Goes to another place, without a body. */
  private void continueOn(RequestRouter.Decision way) {
    if (coordinated != null) {
      logBuilder.intendedRoute(way);
      coordinated.continueOn(way);
    } else if (way instanceof RequestRouter.PassThrough through) {
      proxy(through, Unpooled.EMPTY_BUFFER);
    } else {
      bufferBody(way, 0);
      onBodyEnd();
    }
  }

  /** Answers, unless there is an answer already or nobody waits for it. */
  void respond(BufferedResponse reply) {
    if (!canRespond()) {
      if (!finished) {
        LOG.error("got a second answer to {} {} (expected: one)", request.method(), request.uri());
      }
      reply.onReleased().run();
    } else {
      writeReply(reply);
    }
  }

  /** Answers with what comes while the client takes it, unless nobody waits for it. */
  void respond(StreamingResponse reply) {
    if (!canRespond()) {
      reply.body().onClosed(false);
      reply.onReleased().run();
      return;
    }
    HttpHeaders headers = ResponseHeaders.build(this, intake, reply.withoutBody());
    addConnectionHeaders(headers);
    setWriter(
        new StreamingResponseWriter(
            this, reply, headers, ResponseHeaders.chooseCoding(this, headers)),
        reply.status());
  }

  boolean canRespond() {
    return !hasResponse && !proxied && !finished;
  }

  private void writeReply(BufferedResponse reply) {
    HttpHeaders headers;
    try {
      headers = ResponseHeaders.build(this, intake, reply);
    } catch (IllegalArgumentException e) {
      reply.onReleased().run();
      LOG.error("can't send a header of the answer to {} {}", request.method(), request.uri(), e);
      if (reply.headers().isEmpty()) {
        closeSilently(500, "got a header that can't be echoed (expected: one that HTTP allows)");
      } else {
        rejectWith(RejectionResponses.invalidHeader(e), Map.of());
      }
      return;
    }
    ContentCoding coding = ResponseHeaders.chooseCoding(this, headers);
    HttpResponseStatus code = HttpResponseStatus.valueOf(reply.status());
    if (HttpHeaderRules.mayBeRejection(reply.status())
        && connection.environment().hasRejectionRecord().test(logBuilder.id())) {
      headers.set(HttpHeaderRules.REQUEST_NUMBER, Long.toString(logBuilder.id()));
    }
    addConnectionHeaders(headers);
    setWriter(
        new BufferedResponseWriter(this, code, headers, reply.body(), reply.onReleased(), coding),
        reply.status());
  }

  /** Answers with an error of the gateway's own. */
  void rejectWith(ErrorBody error, Map<String, String> headers) {
    if (hasResponse || finished) {
      return;
    }
    logBuilder.setRejected();
    writeReply(error.toReply(headers, HttpHeaderRules.isPretty(request.uri())));
  }

  /** Answers 413 and does not read the rest of the body. */
  void rejectTooLong() {
    sink = BodySink.DISCARD;
    shouldClose |= !connection.isStream();
    rejectWithStatus(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
  }

  /** Answers as Netty's aggregator does for a node: nothing but the status. */
  void rejectWithStatus(HttpResponseStatus code) {
    if (hasResponse || finished) {
      return;
    }
    HttpHeaders headers = DefaultHttpHeadersFactory.headersFactory().newHeaders();
    closeAnnounced |= shouldClose && !connection.isStream();
    addConnectionHeaders(headers);
    setWriter(
        new BufferedResponseWriter(this, code, headers, ResponseBody.EMPTY, () -> {}, null),
        code.code());
  }

  private void setWriter(ResponseWriter given, int code) {
    writer = given;
    hasResponse = true;
    logBuilder.status(code);
    connection.onResponseReady(this);
  }

  /** The connection's part of an answer's head. */
  void addConnectionHeaders(HttpHeaders headers) {
    if (!connection.isStream() && (connection.isDraining() || closeAnnounced)) {
      shouldClose = true;
      BufferedResponseWriter.announceClose(headers);
    }
  }

  /** Its turn to answer has come, and perhaps there is an answer. */
  void startResponse() {
    withWriter(ResponseWriter::start);
  }

  void resumeResponse() {
    withWriter(ResponseWriter::resume);
  }

  private void withWriter(Consumer<ResponseWriter> writing) {
    ResponseWriter given = writer;
    if (hasResponse && given != null) {
      try {
        writing.accept(given);
      } catch (Throwable e) { // also for want of memory: nothing else would end it
        abortResponse();
        LOG.error("can't write the answer to {} {}", request.method(), request.uri(), e);
      }
    }
  }

  /** An answer that has begun can't be completed: the client must not take it for complete. */
  void abortResponse() {
    connection.closeNow();
  }

  /** Closes the connection without a word, as a node does in such a case. */
  void closeSilently(int code, String why) {
    LOG.debug("client {}: {}, connection closed", connection.remoteText(), why);
    logBuilder.status(code);
    end(false);
    connection.closeNow();
  }

  // The end.

  /** The last byte was written, or could not be. */
  @Override
  public void operationComplete(ChannelFuture written) {
    boolean success = written.isSuccess();
    connection.onLastWritten(this, success);
    if (!finished) {
      if (!success) {
        logBuilder.status(CLIENT_CLOSED_REQUEST);
      }
      end(success);
    }
  }

  /** The client went away before the last byte was written. */
  void onClientDisconnected() {
    if (!finished) {
      logBuilder.status(CLIENT_CLOSED_REQUEST);
      end(false);
    }
  }

  private void end(boolean complete) {
    finished = true;
    sink = BodySink.DISCARD;
    ResponseWriter last = writer;
    writer = null;
    if (coordinated != null && !complete) {
      coordinated
          .onClientDisconnected(); // before the answer is given back, which is the end of its work
    }
    if (last != null) {
      last.close(complete);
    }
    if (coordinated != null) {
      coordinated.onExchangeEnded(complete, proxied);
    }
    if (intake != null) {
      intake.onRequestEnd(logBuilder);
    }
    connection.environment().requestLog().accept(logBuilder.build(this, connection));
  }

  // What the connection and the answers ask.

  ClientConnection connection() {
    return connection;
  }

  HttpRequest request() {
    return request;
  }

  boolean hasResponse() {
    return hasResponse;
  }

  boolean shouldClose() {
    return shouldClose;
  }

  /** The end of the connection is the end of the answer. */
  void closeAfterResponse() {
    shouldClose = true;
  }

  /** The connection is closed after the answer, which says so. */
  void announceClose() {
    closeAnnounced = true;
  }

  /** Whether the answer has no body whatever its length says. */
  boolean hasNoResponseBody() {
    return request.method().equals(HttpMethod.HEAD);
  }

  String protocolVersion() {
    return connection.isStream() ? "HTTP/2.0" : request.protocolVersion().text();
  }

  /** What is counted of it. */
  RequestLogBuilder logBuilder() {
    return logBuilder;
  }

  /** Whose request it is. */
  String tenant() {
    return intake == null ? RequestContext.DEFAULT_TENANT : intake.tenant();
  }

  long arrivedNanos() {
    return logBuilder.startedNanos();
  }

  void onBytesSent(int bytes) {
    logBuilder.addResponseBytes(bytes);
  }
}
