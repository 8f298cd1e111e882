package dev.weir.http;

import dev.weir.http.proxy.NodeProxy;
import dev.weir.http.proxy.Passage;
import dev.weir.http.proxy.ProxyClient;
import dev.weir.http.proxy.ProxyFailure;
import dev.weir.model.PassedWatch;
import dev.weir.model.RequestRouter;
import dev.weir.model.Trace;
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
final class RelayAnswer implements Answer, ProxyClient, BodySink {

  private final Exchange exchange;
  private final RequestRouter.PassThrough way;
  private final @Nullable OutgrownBody outgrown;
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>(0);
  private @Nullable Passage passage;
  private @Nullable HttpResponseStatus status;
  private @Nullable HttpHeaders headers;
  private boolean started;
  private boolean ended;
  private boolean dropped;
  private boolean doubtless;
  private boolean over;
  private boolean replaced;
  private boolean early;
  private @Nullable KeptBody kept;
  private Trace.Hop hop = Trace.Hop.NONE;
  private PassedWatch.@Nullable Onlooker onlooker;

  /**
   * Makes an answer.
   *
   * @param way with what its answer waits for
   * @param outgrown the request's body, when some of it was gathered; owned
   * @param kept the request's body, in case that this answer does not come; owned
   */
  RelayAnswer(
      Exchange exchange,
      RequestRouter.PassThrough way,
      @Nullable OutgrownBody outgrown,
      @Nullable KeptBody kept) {
    this.exchange = exchange;
    this.way = way;
    this.outgrown = outgrown;
    this.kept = kept;
  }

  /**
   * Goes to a node.
   *
   * @param whole the request's body, owned; null when it follows
   */
  void open(@Nullable ByteBuf whole) {
    HttpRequest request = exchange.request();
    PassedWatch watch = outgrown == null ? way.watch() : null;
    if (watch != null) {
      look(watch, whole);
    }
    hop = exchange.tally().trace().hop(request.method().name());
    if (!hop.parent().isEmpty()) {
      RequestHeads.comesFrom(request, hop.parent());
    }
    NodeProxy proxy = exchange.entry().destination().proxy();
    along(proxy.open(exchange.connection().loop(), RequestHeads.onward(request, whole), this));
  }

  private void look(PassedWatch watch, @Nullable ByteBuf whole) {
    HttpRequest request = exchange.request();
    ClientConnection connection = exchange.connection();
    onlooker =
        watch.begin(
            new PassedWatch.Head(
                request.method().name(),
                request.uri(),
                exchange.entry().askedUri(),
                exchange.protocol(),
                request.headers().entries(),
                whole == null ? RequestHeads.contentLength(request) : whole.readableBytes(),
                exchange.tenant(),
                connection.remoteAddress(),
                connection.localAddress()));
    if (onlooker != null && whole != null && whole.isReadable()) {
      onlooker.body(whole.nioBuffer());
    }
  }

  private void along(Passage opened) {
    passage = opened;
    if (dropped) {
      opened.abort();
    } else if (outgrown != null) {
      outgrown.into(opened);
    }
    if (early) {
      resumeBody();
    }
  }

  // The request's body.

  @Override
  public void content(ByteBuf piece) {
    if (onlooker != null && piece.isReadable()) {
      onlooker.body(piece.nioBuffer());
    }
    if (kept != null) {
      kept.add(piece);
    }
    if (passage != null) {
      passage.content(piece);
    }
  }

  @Override
  public void end() {
    if (kept != null) {
      kept.end();
    }
    if (passage != null) {
      passage.end();
    }
  }

  @Override
  public void pauseBody() {
    early = false;
    if (outgrown != null) {
      outgrown.hold();
    }
    exchange.connection().pauseForBody(exchange);
  }

  @Override
  public void resumeBody() {
    if (replaced) {
      return; // it flows to another node, which says when
    }
    early = passage == null && outgrown == null; // until there is a way for it
    if (!early && (outgrown == null || outgrown.resume())) {
      exchange.connection().resumeForBody(exchange);
    }
  }

  // The node's answer.

  @Override
  public void onNode(InetSocketAddress node) {
    hop.to(node);
  }

  @Override
  public void onHead(HttpResponseStatus answered, HttpHeaders answeredHeaders) {
    status = answered;
    headers = answeredHeaders;
    forgetBody();
    if (onlooker != null) {
      onlooker.head(
          answered.code(),
          answeredHeaders.get(HttpHeaderNames.CONTENT_TYPE, ""),
          answeredHeaders.get(HttpHeaderNames.CONTENT_ENCODING, ""));
    }
    CompletionStage<?> settling = settling(answered);
    if (settling == null) {
      exchange.answerBegun(answered.code());
    } else {
      settling.whenCompleteAsync((_, _) -> settled(answered.code()), exchange.connection().loop());
    }
  }

  private @Nullable CompletionStage<?> settling(HttpResponseStatus answered) {
    if (answered.codeClass() != HttpStatusClass.SUCCESS) {
      return doubted(answered.code());
    }
    doubtless = true;
    Supplier<CompletionStage<?>> settling = way.settling();
    return settling == null ? null : settling.get();
  }

  /** Tells once whoever is to hear of it. */
  private @Nullable CompletionStage<?> doubted(int code) {
    RequestRouter.Doubt doubt = way.doubt();
    if (doubtless || doubt == null) {
      return null;
    }
    doubtless = true;
    return doubt.of(code);
  }

  /** Whether a failure says that nothing was sent: no connection was free, or none came about. */
  private static boolean nothingSent(ProxyFailure failure) {
    return failure.status() == 429 || failure.status() == 503;
  }

  private static String kind(ProxyFailure failure) {
    return switch (failure.status()) {
      case 429, 503 -> "not-sent";
      case 504 -> "timed-out";
      default -> "connection-lost";
    };
  }

  private void settled(int code) {
    if (!dropped) {
      exchange.answerBegun(code);
    }
  }

  @Override
  public void onContent(ByteBuf content) {
    if (onlooker != null) {
      onlooker.content(content.nioBuffer());
    }
    if (dropped) {
      content.release();
    } else if (started) {
      write(content);
    } else {
      held.add(content);
    }
  }

  @Override
  public void onEnd() {
    ended = true;
    hop.answered(status == null ? 0 : status.code());
    discardBody();
    if (started && !dropped) {
      writeEnd();
    }
  }

  @Override
  public void onFailure(ProxyFailure failure) {
    hop.failed(kind(failure), failure.reason());
    PassedWatch.Onlooker looking = onlooker;
    onlooker = null;
    if (looking != null) {
      looking.broken(failure.status());
    }
    discardBody();
    if (nothingSent(failure)) {
      doubtless = true;
    }
    CompletionStage<?> doubted = doubted(RequestRouter.Doubt.NO_ANSWER);
    if (dropped) {
      return;
    }
    if (started) {
      exchange.breakOff();
    } else {
      releaseHeld();
      dropped = true;
      if (doubted == null) {
        relayFailed(failure);
      } else {
        doubted.whenCompleteAsync((_, _) -> relayFailed(failure), exchange.connection().loop());
      }
    }
  }

  private void relayFailed(ProxyFailure failure) {
    if (over) {
      return;
    }
    KeptBody body = kept;
    kept = null;
    replaced = exchange.relayFailed(failure, way.reason(), body);
    if (body != null && !replaced) {
      body.free();
    }
  }

  @Override
  public void onReadComplete() {
    if (started && !dropped) {
      exchange.connection().flush();
    }
  }

  @Override
  public boolean writable() {
    return started && exchange.connection().writable();
  }

  // Its turn.

  @Override
  public void start() {
    HttpHeaders head = headers;
    HttpResponseStatus code = status;
    if (head == null || code == null || dropped) {
      return;
    }
    started = true;
    ClientConnection connection = exchange.connection();
    if (!head.contains(HttpHeaderNames.CONTENT_LENGTH)
        && !exchange.bodyless()
        && code.code() != 204
        && code.code() != 304) {
      connection.markChunked(head, exchange);
    }
    exchange.finishHead(head);
    connection.write(
        exchange, new DefaultHttpResponse(exchange.request().protocolVersion(), code, head), 0);
    for (ByteBuf content = held.poll(); content != null; content = held.poll()) {
      write(content);
    }
    if (ended) {
      writeEnd();
    } else {
      resume();
    }
  }

  @Override
  public void resume() {
    if (passage != null && writable()) {
      passage.resumeAnswer();
    }
  }

  private void write(ByteBuf content) {
    exchange.connection().write(exchange, new DefaultHttpContent(content), content.readableBytes());
  }

  private void writeEnd() {
    ClientConnection connection = exchange.connection();
    connection.writeLast(exchange, LastHttpContent.EMPTY_LAST_CONTENT, 0);
    PassedWatch.Onlooker looking = onlooker;
    onlooker = null;
    connection.flush();
    if (looking != null) {
      looking.end(); // nothing is left to do for the client
    }
  }

  @Override
  public void over(boolean complete) {
    dropped = true;
    over = true;
    releaseHeld();
    discardBody();
    forgetBody();
    if (!complete) {
      hop.forgotten();
      leave();
    }
    doubted(RequestRouter.Doubt.NO_ANSWER);
    if (passage != null && !complete) {
      passage.abort();
    }
  }

  private void leave() {
    PassedWatch.Onlooker looking = onlooker;
    onlooker = null;
    if (looking != null) {
      looking.gone();
    }
  }

  /** Nobody takes more of the request's body. */
  private void discardBody() {
    if (outgrown != null) {
      outgrown.discard();
    }
  }

  private void forgetBody() {
    if (kept != null) {
      kept.free();
      kept = null;
    }
  }

  private void releaseHeld() {
    for (ByteBuf content = held.poll(); content != null; content = held.poll()) {
      content.release();
    }
  }
}
