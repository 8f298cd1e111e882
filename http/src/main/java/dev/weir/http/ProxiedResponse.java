package dev.weir.http;

import dev.weir.http.proxy.DownstreamHandler;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.http.proxy.ProxiedRequest;
import dev.weir.http.proxy.ProxyFailure;
import dev.weir.model.PassThroughObserver;
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
 * A node's answer on its way to the client. What arrives before its turn is held; the node is
 * stopped meanwhile, so that this is one read's worth.
 */
final class ProxiedResponse implements ResponseWriter, DownstreamHandler, BodySink {

  private final ClientExchange exchange;
  private final RequestRouter.PassThrough route;
  private final @Nullable SpilloverBody spillover;
  private final ArrayDeque<ByteBuf> pendingContent = new ArrayDeque<>(0);
  private @Nullable ProxiedRequest proxied;
  private @Nullable HttpResponseStatus status;
  private @Nullable HttpHeaders headers;
  private boolean started;
  private boolean ended;
  private boolean discarded;
  private boolean outcomeKnown;
  private boolean closed;
  private boolean failedOver;
  private boolean resumePending;
  private @Nullable ReplayableBody replayable;
  private RequestTrace.PassThroughSpan hop = RequestTrace.PassThroughSpan.NONE;
  private PassThroughObserver.@Nullable ExchangeObserver observer;

  /**
   * Makes an answer.
   *
   * @param way with what its answer waits for
   * @param outgrown the request's body, when some of it was gathered; owned
   * @param kept the request's body, in case that this answer does not come; owned
   */
  ProxiedResponse(
      ClientExchange exchange,
      RequestRouter.PassThrough way,
      @Nullable SpilloverBody outgrown,
      @Nullable ReplayableBody kept) {
    this.exchange = exchange;
    this.route = way;
    this.spillover = outgrown;
    this.replayable = kept;
  }

  /**
   * Goes to a node.
   *
   * @param whole the request's body, owned; null when it follows
   */
  void open(@Nullable ByteBuf whole) {
    HttpRequest request = exchange.request();
    PassThroughObserver watch = spillover == null ? route.observer() : null;
    if (watch != null) {
      attachObserver(watch, whole);
    }
    hop = exchange.logBuilder().trace().startPassThrough(request.method().name());
    if (!hop.traceParent().isEmpty()) {
      HttpHeaderRules.setTraceParent(request, hop.traceParent());
    }
    NodeProxy proxy = exchange.intake().destination().proxy();
    attach(
        proxy.open(
            exchange.connection().eventLoop(),
            HttpHeaderRules.toUpstreamRequest(request, whole),
            this));
  }

  private void attachObserver(PassThroughObserver watch, @Nullable ByteBuf whole) {
    HttpRequest request = exchange.request();
    ClientConnection connection = exchange.connection();
    observer =
        watch.observe(
            new PassThroughObserver.Head(
                request.method().name(),
                request.uri(),
                exchange.intake().originalUri(),
                exchange.protocolVersion(),
                request.headers().entries(),
                whole == null ? HttpHeaderRules.contentLength(request) : whole.readableBytes(),
                exchange.tenant(),
                connection.remoteAddress(),
                connection.localAddress()));
    if (observer != null && whole != null && whole.isReadable()) {
      observer.onRequestBody(whole.nioBuffer());
    }
  }

  private void attach(ProxiedRequest opened) {
    proxied = opened;
    if (discarded) {
      opened.abort();
    } else if (spillover != null) {
      spillover.attach(opened);
    }
    if (resumePending) {
      resumeBody();
    }
  }

  // The request's body.

  @Override
  public void acceptContent(ByteBuf piece) {
    if (observer != null && piece.isReadable()) {
      observer.onRequestBody(piece.nioBuffer());
    }
    if (replayable != null) {
      replayable.add(piece);
    }
    if (proxied != null) {
      proxied.sendContent(piece);
    }
  }

  @Override
  public void complete() {
    if (replayable != null) {
      replayable.end();
    }
    if (proxied != null) {
      proxied.endBody();
    }
  }

  @Override
  public void pauseBody() {
    resumePending = false;
    if (spillover != null) {
      spillover.pause();
    }
    exchange.connection().pauseForBody(exchange);
  }

  @Override
  public void resumeBody() {
    if (failedOver) {
      return; // it flows to another node, which says when
    }
    resumePending = proxied == null && spillover == null; // until there is a way for it
    if (!resumePending && (spillover == null || spillover.resume())) {
      exchange.connection().resumeForBody(exchange);
    }
  }

  // The node's answer.

  @Override
  public void onNode(InetSocketAddress node) {
    hop.onNodeSelected(node);
  }

  @Override
  public void onHeaders(HttpResponseStatus answered, HttpHeaders answeredHeaders) {
    status = answered;
    headers = answeredHeaders;
    releaseReplayable();
    if (observer != null) {
      observer.onHead(
          answered.code(),
          answeredHeaders.get(HttpHeaderNames.CONTENT_TYPE, ""),
          answeredHeaders.get(HttpHeaderNames.CONTENT_ENCODING, ""));
    }
    CompletionStage<?> settling = completionHook(answered);
    if (settling == null) {
      exchange.onResponseHeaders(answered.code());
    } else {
      settling.whenCompleteAsync(
          (_, _) -> onResponseReleased(answered.code()), exchange.connection().eventLoop());
    }
  }

  private @Nullable CompletionStage<?> completionHook(HttpResponseStatus answered) {
    if (answered.codeClass() != HttpStatusClass.SUCCESS) {
      return notifyUncertainOutcome(answered.code());
    }
    outcomeKnown = true;
    Supplier<CompletionStage<?>> settling = route.onSuccess();
    return settling == null ? null : settling.get();
  }

  /** Tells once whoever is to hear of it. */
  private @Nullable CompletionStage<?> notifyUncertainOutcome(int code) {
    RequestRouter.UncertainOutcomeHandler doubt = route.onUncertainOutcome();
    if (outcomeKnown || doubt == null) {
      return null;
    }
    outcomeKnown = true;
    return doubt.handle(code);
  }

  /** Whether a failure says that nothing was sent: no connection was free, or none came about. */
  private static boolean isNothingSent(ProxyFailure failure) {
    return failure.status() == 429 || failure.status() == 503;
  }

  private static String failureKind(ProxyFailure failure) {
    return switch (failure.status()) {
      case 429, 503 -> "not-sent";
      case 504 -> "timed-out";
      default -> "connection-lost";
    };
  }

  private void onResponseReleased(int code) {
    if (!discarded) {
      exchange.onResponseHeaders(code);
    }
  }

  @Override
  public void onContent(ByteBuf content) {
    if (observer != null) {
      observer.onContent(content.nioBuffer());
    }
    if (discarded) {
      content.release();
    } else if (started) {
      writeContent(content);
    } else {
      pendingContent.add(content);
    }
  }

  @Override
  public void onEnd() {
    ended = true;
    hop.onResponse(status == null ? 0 : status.code());
    discardBody();
    if (started && !discarded) {
      writeEnd();
    }
  }

  @Override
  public void onFailure(ProxyFailure failure) {
    hop.onFailure(failureKind(failure), failure.reason());
    PassThroughObserver.ExchangeObserver looking = observer;
    observer = null;
    if (looking != null) {
      looking.onFailure(failure.status());
    }
    discardBody();
    if (isNothingSent(failure)) {
      outcomeKnown = true;
    }
    CompletionStage<?> doubted =
        notifyUncertainOutcome(RequestRouter.UncertainOutcomeHandler.NO_RESPONSE);
    if (discarded) {
      return;
    }
    if (started) {
      exchange.abortResponse();
    } else {
      releaseHeld();
      discarded = true;
      if (doubted == null) {
        onProxyFailure(failure);
      } else {
        doubted.whenCompleteAsync(
            (_, _) -> onProxyFailure(failure), exchange.connection().eventLoop());
      }
    }
  }

  private void onProxyFailure(ProxyFailure failure) {
    if (closed) {
      return;
    }
    ReplayableBody body = replayable;
    replayable = null;
    failedOver = exchange.onProxyFailure(failure, route.reason(), body);
    if (body != null && !failedOver) {
      body.release();
    }
  }

  @Override
  public void onReadComplete() {
    if (started && !discarded) {
      exchange.connection().flush();
    }
  }

  @Override
  public boolean isWritable() {
    return started && exchange.connection().isWritable();
  }

  // Its turn.

  @Override
  public void start() {
    HttpHeaders head = headers;
    HttpResponseStatus code = status;
    if (head == null || code == null || discarded) {
      return;
    }
    started = true;
    ClientConnection connection = exchange.connection();
    if (!head.contains(HttpHeaderNames.CONTENT_LENGTH)
        && !exchange.hasNoResponseBody()
        && code.code() != 204
        && code.code() != 304) {
      connection.markChunked(head, exchange);
    }
    exchange.addConnectionHeaders(head);
    connection.write(
        exchange, new DefaultHttpResponse(exchange.request().protocolVersion(), code, head), 0);
    for (ByteBuf content = pendingContent.poll();
        content != null;
        content = pendingContent.poll()) {
      writeContent(content);
    }
    if (ended) {
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
    exchange.connection().write(exchange, new DefaultHttpContent(content), content.readableBytes());
  }

  private void writeEnd() {
    ClientConnection connection = exchange.connection();
    connection.writeLast(exchange, LastHttpContent.EMPTY_LAST_CONTENT, 0);
    PassThroughObserver.ExchangeObserver looking = observer;
    observer = null;
    connection.flush();
    if (looking != null) {
      looking.onComplete(); // nothing is left to do for the client
    }
  }

  @Override
  public void close(boolean complete) {
    discarded = true;
    closed = true;
    releaseHeld();
    discardBody();
    releaseReplayable();
    if (!complete) {
      hop.onAbandoned();
      abort();
    }
    notifyUncertainOutcome(RequestRouter.UncertainOutcomeHandler.NO_RESPONSE);
    if (proxied != null && !complete) {
      proxied.abort();
    }
  }

  private void abort() {
    PassThroughObserver.ExchangeObserver looking = observer;
    observer = null;
    if (looking != null) {
      looking.onDisconnect();
    }
  }

  /** Nobody takes more of the request's body. */
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
