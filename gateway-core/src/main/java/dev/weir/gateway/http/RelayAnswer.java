package dev.weir.gateway.http;

import dev.weir.gateway.http.proxy.Passage;
import dev.weir.gateway.http.proxy.ProxyClient;
import dev.weir.gateway.http.proxy.ProxyFailure;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
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
  private final @Nullable Supplier<CompletionStage<?>> settling;
  private final @Nullable OutgrownBody outgrown;
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>(0);
  private @Nullable Passage passage;
  private @Nullable HttpResponseStatus status;
  private @Nullable HttpHeaders headers;
  private boolean started;
  private boolean ended;
  private boolean dropped;

  /**
   * Makes an answer.
   *
   * @param settling starts what a successful answer waits for; null for nothing
   * @param outgrown the request's body, when some of it was gathered; owned
   */
  RelayAnswer(
      Exchange exchange,
      @Nullable Supplier<CompletionStage<?>> settling,
      @Nullable OutgrownBody outgrown) {
    this.exchange = exchange;
    this.settling = settling;
    this.outgrown = outgrown;
  }

  /** The way the request went; null while it is being opened. */
  void along(Passage opened) {
    passage = opened;
    if (dropped) {
      opened.abort();
    } else if (outgrown != null) {
      outgrown.into(opened);
    }
  }

  // The request's body.

  @Override
  public void content(ByteBuf piece) {
    if (passage != null) {
      passage.content(piece);
    }
  }

  @Override
  public void end() {
    if (passage != null) {
      passage.end();
    }
  }

  @Override
  public void pauseBody() {
    if (outgrown != null) {
      outgrown.hold();
    }
    exchange.connection().pauseForBody(exchange);
  }

  @Override
  public void resumeBody() {
    if (outgrown == null || outgrown.resume()) {
      exchange.connection().resumeForBody(exchange);
    }
  }

  // The node's answer.

  @Override
  public void onHead(HttpResponseStatus answered, HttpHeaders answeredHeaders) {
    status = answered;
    headers = answeredHeaders;
    if (settling == null || answered.codeClass() != HttpStatusClass.SUCCESS) {
      exchange.answerBegun(answered.code());
    } else {
      settling
          .get()
          .whenCompleteAsync((_, _) -> settled(answered.code()), exchange.connection().loop());
    }
  }

  private void settled(int code) {
    if (!dropped) {
      exchange.answerBegun(code);
    }
  }

  @Override
  public void onContent(ByteBuf content) {
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
    discardBody();
    if (started && !dropped) {
      writeEnd();
    }
  }

  @Override
  public void onFailure(ProxyFailure failure) {
    discardBody();
    if (dropped) {
      return;
    }
    if (started) {
      exchange.breakOff();
    } else {
      releaseHeld();
      dropped = true;
      exchange.relayFailed(failure);
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
    connection.write(exchange, new DefaultHttpResponse(exchange.answerVersion(), code, head), 0);
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
    connection.flush();
  }

  @Override
  public void over(boolean complete) {
    dropped = true;
    releaseHeld();
    discardBody();
    if (passage != null && !complete) {
      passage.abort();
    }
  }

  /** Nobody takes more of the request's body. */
  private void discardBody() {
    if (outgrown != null) {
      outgrown.discard();
    }
  }

  private void releaseHeld() {
    for (ByteBuf content = held.poll(); content != null; content = held.poll()) {
      content.release();
    }
  }
}
