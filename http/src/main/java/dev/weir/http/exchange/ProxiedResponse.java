package dev.weir.http.exchange;

import dev.weir.http.body.BodySink;
import dev.weir.http.body.ReplayableBody;
import dev.weir.http.body.SpilloverBody;
import dev.weir.http.connection.ClientPeer;
import dev.weir.http.connection.ExchangeChannel;
import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.http.intake.RequestRoute;
import dev.weir.http.proxy.DownstreamHandler;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.http.proxy.ProxiedRequest;
import dev.weir.http.proxy.ProxyFailure;
import dev.weir.http.proxy.UpstreamRequest;
import dev.weir.http.response.ResponseWriter;
import dev.weir.model.PassThroughObserver;
import dev.weir.model.ReleasableRequests;
import dev.weir.model.RequestRouter;
import dev.weir.model.RequestTrace;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node's response on its way to the client. Parts that arrive while earlier responses of the
 * connection have not left are held; the node is not read meanwhile, so that they are one read's
 * worth. Confined to the request's event loop.
 *
 * <pre>
 *   AWAITING --headers--> HELD --its turn--> WRITING --complete--> WRITTEN
 *      |                   | `--complete--> HELD_COMPLETE --its turn--^
 *      |                   |
 *      `-------------------`--failure--> FAILED --another cluster--> FAILED_OVER
 *   any state --close()--> CLOSED
 * </pre>
 */
final class ProxiedResponse implements ResponseWriter, DownstreamHandler, BodySink {
  /** What the exchange does with a node's response. Called on the request's event loop. */
  interface Listener {
    /**
     * Called when the node's response has begun; the exchange writes it after all earlier
     * responses.
     */
    void onResponseHeaders(int status);

    /**
     * Called when the node's response did not come and nothing was sent to the client.
     *
     * @param reason why the request passed through
     * @param body can be sent again; the caller's unless true is returned; null for none
     * @param unsent the body, of which nothing was sent; the caller's unless true is returned; null
     *     when it has not begun to arrive, or {@code body} has it
     * @return whether another cluster gets the body
     */
    boolean onProxyFailure(
        ProxyFailure failure,
        String reason,
        @Nullable ReplayableBody body,
        @Nullable SpilloverBody unsent);
  }

  private enum State {
    AWAITING,
    HELD,
    HELD_COMPLETE,
    WRITING,
    WRITTEN,
    FAILED,
    FAILED_OVER,
    CLOSED;

    /** Returns whether nothing more of the response may be written. */
    boolean isDiscarded() {
      return this == FAILED || this == FAILED_OVER || this == CLOSED;
    }

    boolean hasStarted() {
      return this == WRITING || this == WRITTEN;
    }
  }

  private final RequestRoute route;
  private final ExchangeChannel channel;
  private final Listener listener;
  private final RequestRouter.PassThrough decision;
  private final @Nullable SpilloverBody spillover;
  private final ArrayDeque<ByteBuf> pendingContent = new ArrayDeque<>(0);
  private @Nullable ProxiedRequest proxied;
  private @Nullable HttpResponseStatus status;
  private @Nullable HttpHeaders headers;
  private State state = State.AWAITING;

  /** Called when the request may or may not have been carried out; null once that is known. */
  private RequestRouter.@Nullable UncertainOutcomeHandler uncertainOutcome;

  /** Whether the proxied request asked for its body before {@link #attach}. */
  private boolean resumeOnAttach;

  private @Nullable ReplayableBody replayable;
  private RequestTrace.PassThroughSpan hop = RequestTrace.PassThroughSpan.NONE;
  private Runnable releaseRemoval = () -> {};
  private final ProxiedExchangeObservation observation = new ProxiedExchangeObservation();

  /**
   * Creates the response of a request that was not sent yet.
   *
   * @param decision what the response waits for, and who observes it
   * @param spillover the request's body, when some of it was buffered; owned
   * @param replayable keeps the request's body for another cluster; owned
   */
  ProxiedResponse(
      RequestRoute route,
      Listener listener,
      RequestRouter.PassThrough decision,
      @Nullable SpilloverBody spillover,
      @Nullable ReplayableBody replayable) {
    this.route = route;
    this.channel = route.channel();
    this.listener = listener;
    this.decision = decision;
    this.uncertainOutcome = decision.onUncertainOutcome();
    this.spillover = spillover;
    this.replayable = replayable;
  }

  /**
   * Sends the request to a node.
   *
   * @param whole the request's body, owned; null when it follows
   */
  void open(@Nullable ByteBuf whole) {
    ProxyFailure rejection = route.startDelegation(decision, this::onDeadline);
    if (rejection != null) {
      if (whole != null) {
        whole.release();
      }
      onFailure(rejection);
      channel.resumeBody();
      return;
    }
    HttpRequest request = route.request();
    PassThroughObserver watch =
        spillover == null || spillover.isVerbatim() ? decision.observer() : null;
    if (watch != null) {
      observation.start(watch, route, whole);
    }
    hop = route.log().trace().startPassThrough(request.method().name());
    if (!hop.traceParent().isEmpty()) {
      HttpHeaderRules.setTraceParent(request, hop.traceParent());
    }
    NodeProxy proxy = route.destination().proxy();
    ClientPeer client = channel.connection().peer();
    ReleasableRequests underWay = route.destination().releasableRequests();
    if (underWay != null) {
      releaseRemoval =
          underWay.add(route.destination().policy().name(), channel.eventLoop(), this::onReleased);
    }
    attach(proxy.open(channel.eventLoop(), UpstreamRequest.of(request, whole, client), this));
  }

  /** Ends the request: its cluster was left, and none of its nodes answers. */
  private void onReleased() {
    if (proxied != null) {
      proxied.release();
    }
  }

  private void onDeadline(ProxyFailure expiry) {
    if (proxied != null && state == State.AWAITING) {
      proxied.giveUp(expiry);
    }
  }

  private void attach(ProxiedRequest opened) {
    proxied = opened;
    if (state.isDiscarded()) {
      opened.abort();
    } else if (spillover != null) {
      spillover.attach(spillover.isVerbatim() ? this : opened);
    }
    if (resumeOnAttach) {
      resumeBody();
    }
  }

  // The request's body.

  @Override
  public void acceptContent(ByteBuf piece) {
    observation.onRequestBody(piece);
    if (replayable != null) {
      replayable.add(piece);
    }
    if (proxied != null) {
      proxied.acceptContent(piece);
    }
  }

  @Override
  public void complete() {
    if (replayable != null) {
      replayable.end();
    }
    if (proxied != null) {
      proxied.complete();
    }
  }

  @Override
  public void pauseBody() {
    resumeOnAttach = false;
    if (spillover != null) {
      spillover.pause();
    }
    channel.pauseBody();
  }

  @Override
  public void resumeBody() {
    if (state == State.FAILED_OVER || (state == State.FAILED && isBodyUntouched())) {
      return; // the body flows to another cluster, which asks for it
    }
    resumeOnAttach = proxied == null && spillover == null;
    if (!resumeOnAttach && (spillover == null || spillover.resume())) {
      channel.resumeBody();
    }
  }

  // The node's response.

  @Override
  public void onNode(InetSocketAddress node) {
    hop.onNodeSelected(node);
  }

  @Override
  public void onHeaders(HttpResponseStatus answered, HttpHeaders answeredHeaders) {
    status = answered;
    headers = answeredHeaders;
    if (state == State.AWAITING) {
      state = State.HELD;
    }
    releaseReplayable();
    observation.onHead(answered, answeredHeaders);
    CompletionStage<?> settling = completionHook(answered);
    if (settling == null) {
      listener.onResponseHeaders(answered.code());
    } else {
      settling.whenCompleteAsync(
          (_, _) -> onResponseReleased(answered.code()), channel.eventLoop());
    }
  }

  private @Nullable CompletionStage<?> completionHook(HttpResponseStatus answered) {
    if (answered.codeClass() != HttpStatusClass.SUCCESS) {
      return notifyUncertainOutcome(answered.code());
    }
    uncertainOutcome = null;
    Supplier<CompletionStage<?>> settling = decision.onSuccess();
    return settling == null ? null : settling.get();
  }

  /** Reports, once, that the request may or may not have been carried out. */
  private @Nullable CompletionStage<?> notifyUncertainOutcome(int code) {
    RequestRouter.UncertainOutcomeHandler handler = uncertainOutcome;
    uncertainOutcome = null;
    return handler == null ? null : handler.handle(code);
  }

  private void onResponseReleased(int code) {
    if (!state.isDiscarded()) {
      listener.onResponseHeaders(code);
    }
  }

  @Override
  public void onContent(ByteBuf content) {
    observation.onContent(content);
    if (state.isDiscarded()) {
      content.release();
    } else if (state.hasStarted()) {
      writeContent(content);
    } else {
      pendingContent.add(content);
    }
  }

  @Override
  public void onEnd() {
    releaseRemoval.run();
    hop.onResponse(status == null ? 0 : status.code());
    discardBody();
    if (state == State.WRITING) {
      writeEnd();
    } else if (state == State.HELD) {
      state = State.HELD_COMPLETE;
    }
  }

  @Override
  public void onFailure(ProxyFailure failure) {
    releaseRemoval.run();
    hop.onFailure(failure.kind(), failure.reason());
    observation.onFailure(failure.status());
    if (!isBodyUntouched()) {
      discardBody();
    }
    if (failure.isWithoutEffect()) {
      uncertainOutcome = null;
    }
    CompletionStage<?> doubted =
        notifyUncertainOutcome(RequestRouter.UncertainOutcomeHandler.NO_RESPONSE);
    if (state.isDiscarded()) {
      return;
    }
    if (state.hasStarted()) {
      channel.abortResponse();
    } else {
      releaseHeld();
      state = State.FAILED;
      if (doubted == null) {
        onProxyFailure(failure);
      } else {
        doubted.whenCompleteAsync((_, _) -> onProxyFailure(failure), channel.eventLoop());
      }
    }
  }

  private void onProxyFailure(ProxyFailure failure) {
    if (state == State.CLOSED) {
      return;
    }
    ReplayableBody body = replayable;
    replayable = null;
    SpilloverBody unsent = body != null && body.isPending() ? spillover : null;
    if (unsent != null) {
      unsent.detach();
    }
    if (listener.onProxyFailure(failure, decision.reason(), body, unsent)) {
      state = State.FAILED_OVER;
    } else {
      if (body != null) {
        body.release();
      }
      discardBody();
    }
  }

  /** Returns whether all of the body, as far as it has arrived, can go to another cluster. */
  private boolean isBodyUntouched() {
    return spillover != null
        && spillover.isVerbatim()
        && replayable != null
        && replayable.isPending();
  }

  @Override
  public void onReadComplete() {
    if (state.hasStarted()) {
      channel.flush();
    }
  }

  @Override
  public boolean isWritable() {
    return state.hasStarted() && channel.isWritable();
  }

  // Writing to the client.

  @Override
  public void start() {
    HttpHeaders head = headers;
    HttpResponseStatus code = status;
    boolean complete = state == State.HELD_COMPLETE;
    if (head == null || code == null || (state != State.HELD && !complete)) {
      return;
    }
    state = State.WRITING;
    if (!head.contains(HttpHeaderNames.CONTENT_LENGTH)
        && !channel.isHeadRequest()
        && code.code() != 204
        && code.code() != 304) {
      channel.markChunked(head);
    }
    channel.addConnectionHeaders(head);
    channel.write(new DefaultHttpResponse(channel.protocolVersion(), code, head), 0);
    for (ByteBuf content = pendingContent.poll();
        content != null;
        content = pendingContent.poll()) {
      writeContent(content);
    }
    if (complete) {
      writeEnd();
    } else {
      resume();
    }
  }

  @Override
  public void resume() {
    if (proxied != null && isWritable()) {
      proxied.resumeResponse();
    }
  }

  private void writeContent(ByteBuf content) {
    channel.write(new DefaultHttpContent(content), content.readableBytes());
  }

  private void writeEnd() {
    if (state == State.WRITING) {
      state = State.WRITTEN;
    }
    channel.writeLast(LastHttpContent.EMPTY_LAST_CONTENT, 0);
    Runnable report = observation.complete();
    channel.flush();
    report.run();
  }

  @Override
  public void close(boolean complete) {
    state = State.CLOSED;
    releaseRemoval.run();
    releaseHeld();
    discardBody();
    releaseReplayable();
    if (!complete) {
      hop.onAbandoned();
      observation.onDisconnect();
    }
    notifyUncertainOutcome(RequestRouter.UncertainOutcomeHandler.NO_RESPONSE);
    if (proxied != null && !complete) {
      proxied.abort();
    }
  }

  /** Drops what still arrives of the request's body. */
  private void discardBody() {
    if (spillover != null) {
      spillover.discard();
    }
  }

  private void releaseReplayable() {
    if (replayable != null) {
      replayable.release();
      replayable = null;
    }
  }

  private void releaseHeld() {
    for (ByteBuf content = pendingContent.poll();
        content != null;
        content = pendingContent.poll()) {
      content.release();
    }
  }
}
