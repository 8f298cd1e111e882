package dev.weir.http.exchange;

import dev.weir.http.body.BodySink;
import dev.weir.http.body.BodyTransformer;
import dev.weir.http.body.ReplayableBody;
import dev.weir.http.body.SpilloverBody;
import dev.weir.http.connection.ClientConnection;
import dev.weir.http.connection.ConnectionExchange;
import dev.weir.http.connection.ExchangeChannel;
import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.http.error.BodyTransformException;
import dev.weir.http.error.ErrorBody;
import dev.weir.http.error.RejectionResponses;
import dev.weir.http.intake.InvalidHeaders;
import dev.weir.http.intake.RequestEnvironment;
import dev.weir.http.intake.RequestIntake;
import dev.weir.http.intake.RequestLogBuilder;
import dev.weir.http.intake.RequestRoute;
import dev.weir.http.proxy.ProxyFailure;
import dev.weir.http.response.ResponseWriter;
import dev.weir.model.BodyStreamingOptions;
import dev.weir.model.BufferedResponse;
import dev.weir.model.RequestRouter;
import dev.weir.model.StreamingResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its response, from the request's first byte to the response's last; {@link
 * ExchangeState} has the picture of its life. Confined to its channel's event loop.
 */
public final class ClientExchange
    implements ConnectionExchange,
        RequestIntake.Listener,
        CoordinatedResponder,
        GatheredBody.Listener,
        ProxiedResponse.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(ClientExchange.class);

  /** The status logged for a request whose client disconnected before the response had left. */
  private static final int CLIENT_CLOSED_REQUEST = 499;

  private final ExchangeChannel channel;
  private final HttpRequest request;
  private final RequestEnvironment environment;
  private final RequestLogBuilder log;
  private ExchangeState state = ExchangeState.RECEIVING;
  private BodySink sink = BodySink.DISCARD;
  private @Nullable RequestRoute route;
  private @Nullable RequestIntake intake;
  private @Nullable CoordinatedExchange coordinated;
  private @Nullable GatheredBody gathered;

  /** Writes the response, or will; null before there is one, and after the end. */
  private @Nullable ResponseWriter writer;

  public ClientExchange(
      ClientConnection connection,
      HttpRequest request,
      long startedNanos,
      RequestEnvironment environment) {
    this.channel = new ExchangeChannel(connection, this, request);
    this.request = request;
    this.environment = environment;
    this.log = new RequestLogBuilder(System.currentTimeMillis(), startedNanos);
  }

  private void moveTo(ExchangeState next) {
    assert state.canMoveTo(next) : "got a move from " + state + " to " + next;
    state = next;
  }

  // Called by the connection.

  @Override
  public void start(@Nullable ByteBuf whole) {
    switch (InvalidHeaders.find(request)) {
      case InvalidHeaders.Undecodable(Throwable cause) -> onDecodingFailure(cause);
      case InvalidHeaders.Unsupported(int code, String cause) -> closeSilently(code, cause);
      case null -> {
        log.start(request, channel.options().traces());
        RequestRoute chosen = new RequestRoute(channel, environment, log);
        RequestIntake started = new RequestIntake(chosen, this);
        route = chosen;
        intake = started;
        started.start(whole);
      }
    }
  }

  private RequestRoute route() {
    return Objects.requireNonNull(route, "got no route (expected: headers that were read)");
  }

  @Override
  public boolean isAwaitingAdmission() {
    return intake != null && intake.isDelayed();
  }

  @Override
  public long bufferBody(RequestRouter.Decision decision, long announcedBytes) {
    log.intendedRoute(decision);
    return decision instanceof RequestRouter.Coordinate(_, BodyStreamingOptions streaming)
        ? bufferBody(announcedBytes, true, streaming)
        : bufferBody(announcedBytes, false, null);
  }

  private long bufferBody(
      long announced, boolean mayPassThrough, @Nullable BodyStreamingOptions streaming) {
    RequestRoute chosen = route();
    int longest = channel.maxContentBytes();
    int max = mayPassThrough ? chosen.bufferLimit(streaming) : longest;
    CoordinatedExchange buffering =
        new CoordinatedExchange(
            chosen,
            this,
            new CoordinatedBody(
                chosen, this, announced, max, mayPassThrough && max < longest, streaming));
    coordinated = buffering;
    long lacking = buffering.reserve();
    if (lacking == 0) {
      sink = buffering.sink();
    }
    return lacking;
  }

  @Override
  public void rejectForMemory(long lackingBytes) {
    if (coordinated != null) {
      coordinated.rejectForMemory(lackingBytes);
    }
  }

  @Override
  public void onBodyChunk(ByteBuf piece) {
    log.addRequestBytes(piece.readableBytes());
    if (intake != null) {
      intake.onBytesReceived(piece.readableBytes());
    }
    sink.acceptContent(piece);
  }

  @Override
  public void onBodyEnd() {
    BodySink complete = sink;
    sink = BodySink.DISCARD;
    complete.complete();
  }

  @Override
  public void redirectBodyTo(BodySink other) {
    sink = other;
  }

  @Override
  public void onDecodingFailure(Throwable failure) {
    channel.closeAfterResponse();
    channel.connection().stopReading();
    BodySink broken = sink;
    sink = BodySink.DISCARD;
    if (!broken.fail(failure)) {
      rejectBody(ErrorBody.ofDecodingFailure(failure), Map.of());
    }
  }

  /** Rejects the request because of its body, the rest of which is read and dropped. */
  private void rejectBody(ErrorBody error, Map<String, String> headers) {
    sink = BodySink.DISCARD;
    ResponseWriter awaited = writer;
    if (awaited != null && !state.hasResponse()) {
      writer = null;
      awaited.close(false);
    }
    channel.resumeBody();
    reject(error, headers);
  }

  @Override
  public void onCorrupt(DecompressionException failure) {
    if (!(failure instanceof BodyTransformException)) {
      closeSilently(400, "got a body that contradicts its headers: " + failure.getMessage());
    } else {
      onUnusableBody(ErrorBody.ofDecodingFailure(failure), Map.of());
    }
  }

  @Override
  public void onProcessingFailure(Throwable failure) {
    LOG.warn("can't process the body of {} {}", request.method(), request.uri(), failure);
    boolean retry = failure instanceof OutOfMemoryError;
    onUnusableBody(
        retry ? RejectionResponses.outOfMemory() : ErrorBody.ofUnexpected(failure),
        retry ? RejectionResponses.RETRY_AFTER_HEADERS : Map.of());
  }

  private void onUnusableBody(ErrorBody error, Map<String, String> headers) {
    if (!state.hasResponse()) {
      rejectBody(error, headers);
    } else if (state == ExchangeState.RELAYING && log.isRejection()) {
      sink = BodySink.DISCARD; // the node rejected the request without the rest of its body
      channel.resumeBody();
    } else {
      abortResponse();
    }
  }

  // Passing through.

  @Override
  public void gather(RequestRouter.PassThrough decision, @Nullable BodyTransformer transformer) {
    log.setPassedThrough(decision);
    gathered = new GatheredBody(route(), decision, this, transformer);
    sink = gathered;
  }

  @Override
  public void proxy(RequestRouter.PassThrough decision, ByteBuf whole) {
    if (!canRespond()) {
      whole.release();
      return;
    }
    ProxiedResponse relay =
        new ProxiedResponse(route(), this, decision, null, route().copyForReplay(whole));
    proxy(decision, relay, whole, relay);
  }

  @Override
  public void proxy(RequestRouter.PassThrough decision, SpilloverBody body) {
    if (!canRespond()) {
      body.discard();
      return;
    }
    ReplayableBody copy = body.isVerbatim() ? route().copyForReplay(null) : null;
    proxy(decision, new ProxiedResponse(route(), this, decision, body, copy), null, body);
  }

  private void proxy(
      RequestRouter.PassThrough decision,
      ProxiedResponse relay,
      @Nullable ByteBuf whole,
      BodySink rest) {
    log.setPassedThrough(decision);
    moveTo(ExchangeState.PROXYING);
    writer = relay;
    sink = whole == null ? rest : sink;
    relay.open(whole);
  }

  @Override
  public void onResponseHeaders(int status) {
    if (state != ExchangeState.PROXYING) {
      return;
    }
    log.status(status);
    moveTo(ExchangeState.RELAYING);
    channel.onResponseReady();
  }

  @Override
  public boolean onProxyFailure(
      ProxyFailure failure,
      String reason,
      @Nullable ReplayableBody body,
      @Nullable SpilloverBody unsent) {
    if (state == ExchangeState.RELAYING) {
      moveTo(ExchangeState.PROXYING); // the response was lost before its turn
    }
    sink = BodySink.DISCARD;
    RequestRouter.Decision bodiless = route().failOverWithoutBody(failure);
    if (bodiless != null) {
      moveTo(ExchangeState.RECEIVING);
      writer = null;
      continueOn(bodiless);
      return false;
    }
    RequestRouter.PassThrough again = route().failOverWithBody(failure, reason, body);
    if (again == null || body == null) {
      route().onUnanswered(failure);
      reject(failure.errorBody(), failure.errorHeaders());
      return false;
    }
    ProxiedResponse relay = new ProxiedResponse(route(), this, again, unsent, body);
    proxy(again, relay, body.replay(), unsent == null ? relay : unsent);
    return true;
  }

  /** Serves a request without a body as another cluster decided. */
  private void continueOn(RequestRouter.Decision decision) {
    if (coordinated != null) {
      log.intendedRoute(decision);
      coordinated.continueOn(decision);
    } else if (decision instanceof RequestRouter.PassThrough through) {
      proxy(through, Unpooled.EMPTY_BUFFER);
    } else {
      bufferBody(decision, 0);
      onBodyEnd();
    }
  }

  // The gateway's own responses.

  @Override
  public boolean canRespond() {
    return state == ExchangeState.RECEIVING;
  }

  @Override
  public void respond(BufferedResponse response) {
    if (canRespond()) {
      writeResponse(response);
      return;
    }
    if (state != ExchangeState.ENDED) {
      LOG.error("got a second answer to {} {} (expected: one)", request.method(), request.uri());
    }
    response.onReleased().run();
  }

  @Override
  public void respond(StreamingResponse response) {
    HttpHeaders headers = canRespond() ? headersOrRejection(response.withoutBody()) : null;
    if (headers == null) {
      response.body().onClosed(false);
      response.onReleased().run();
      return;
    }
    startWriting(GatewayResponses.streaming(channel, response, headers), response.status());
  }

  private void writeResponse(BufferedResponse response) {
    HttpHeaders headers = headersOrRejection(response);
    if (headers == null) {
      response.onReleased().run();
      return;
    }
    if (HttpHeaderRules.mayBeRejection(response.status())
        && environment.hasRejectionRecord().test(log.id())) {
      headers.set(HttpHeaderRules.REQUEST_NUMBER, Long.toString(log.id()));
    }
    startWriting(GatewayResponses.buffered(channel, response, headers), response.status());
  }

  /**
   * Returns the headers of a response; null after a rejection because one can't be sent. The caller
   * then releases the response.
   */
  private @Nullable HttpHeaders headersOrRejection(BufferedResponse response) {
    try {
      return GatewayResponses.headers(channel, route, response);
    } catch (IllegalArgumentException e) { // the client's own header, such as X-Opaque-Id
      LOG.debug("can't send a header of the answer to {}: {}", request.uri(), e.getMessage());
      if (response.headers().isEmpty()) {
        closeSilently(500, "got a header that cannot be echoed (expected: a valid HTTP header)");
      } else {
        reject(RejectionResponses.invalidHeader(e), Map.of());
      }
      return null;
    }
  }

  @Override
  public void reject(ErrorBody error, Map<String, String> headers) {
    if (state.hasResponse()) {
      return;
    }
    log.setRejected();
    writeResponse(error.toReply(headers, HttpHeaderRules.isPretty(request.uri())));
  }

  @Override
  public void rejectTooLong() {
    sink = BodySink.DISCARD;
    if (!channel.connection().isStream() && channel.isReceivingBody()) {
      channel.closeAfterResponse();
    }
    reject(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
  }

  @Override
  public void reject(HttpResponseStatus status) {
    if (state.hasResponse()) {
      return;
    }
    startWriting(GatewayResponses.bare(channel, status), status.code());
  }

  private void startWriting(ResponseWriter created, int status) {
    writer = created;
    moveTo(ExchangeState.RESPONDING);
    log.status(status);
    channel.onResponseReady();
  }

  @Override
  public void startResponse() {
    withWriter(ResponseWriter::start);
  }

  @Override
  public void resumeResponse() {
    withWriter(ResponseWriter::resume);
  }

  private void withWriter(Consumer<ResponseWriter> writing) {
    ResponseWriter current = writer;
    if (state.hasResponse() && current != null) {
      try {
        writing.accept(current);
      } catch (Throwable e) { // errors too: nothing else would end the exchange
        abortResponse();
        LOG.error("can't write the answer to {} {}", request.method(), request.uri(), e);
      }
    }
  }

  @Override
  public void abortResponse() {
    channel.abortResponse();
  }

  /** Closes the connection without a response, as a node does in such a case. */
  private void closeSilently(int status, String cause) {
    LOG.debug("client {}: {}, connection closed", channel.connection().remoteText(), cause);
    log.status(status);
    end(false);
    abortResponse();
  }

  // The end.

  @Override
  public void operationComplete(ChannelFuture written) {
    channel.onLastWritten(written.isSuccess());
    if (!written.isSuccess()) {
      onClientDisconnected();
    } else if (state != ExchangeState.ENDED) {
      end(true);
    }
  }

  @Override
  public void onClientDisconnected() {
    if (state != ExchangeState.ENDED) {
      log.status(CLIENT_CLOSED_REQUEST);
      end(false);
    }
  }

  private void end(boolean complete) {
    moveTo(ExchangeState.ENDED);
    sink = BodySink.DISCARD;
    ResponseWriter last = writer;
    writer = null;
    if (!complete) { // before the writer releases what the handler works on
      ExchangeEnd.run(coordinated, false, (part, _) -> part.onClientDisconnected());
    }
    ExchangeEnd.run(last, complete, ResponseWriter::close);
    ExchangeEnd.run(coordinated, complete, CoordinatedExchange::onExchangeEnded);
    ExchangeEnd.run(gathered, complete, (part, _) -> part.release());
    ExchangeEnd.run(intake, complete, (part, _) -> part.onRequestEnd());
    environment.requestLog().accept(log.build(channel));
  }

  // Called by the connection.

  @Override
  public boolean hasResponse() {
    return state.hasResponse();
  }

  @Override
  public void closeAfterResponse() {
    channel.closeAfterResponse();
  }

  @Override
  public boolean shouldClose() {
    return channel.shouldClose();
  }

  @Override
  public void onBytesSent(int bytes) {
    log.addResponseBytes(bytes);
  }
}
