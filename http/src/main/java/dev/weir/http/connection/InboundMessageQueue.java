package dev.weir.http.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Queues the messages that a connection has decoded while reading is paused. Bytes that were
 * received and not decoded wait in the {@link InboundByteQueue}, so that few messages wait here.
 * Confined to its event loop.
 */
final class InboundMessageQueue {
  // Reasons to pause, as bits; reading resumes when none is set.
  static final int PIPELINE_FULL = 1;
  static final int BODY_PAUSED = 2;
  static final int AWAITING_ADMISSION = 4;

  /** Messages that wait before no more bytes are decoded; those of a body that waits fit in. */
  private static final int MAX_WAITING = 64;

  /** Of a body of unknown length, while nothing waits: small pieces cost a write each. */
  private static final int UNKNOWN_BODY_BYTES = 16 << 10;

  private final ChannelHandlerContext ctx;
  private final @Nullable InboundByteQueue bytes;
  private final Consumer<HttpObject> handler;
  private final Runnable onResume;
  private final ArrayDeque<HttpObject> pending = new ArrayDeque<>(0);
  private int pauses;
  private boolean isDelivering;

  /** Whether the channel does not read. */
  private boolean isStopped;

  private boolean watchingForDisconnect;

  /** Whether a body is being decoded. */
  private boolean isInBody;

  /** Its bytes that were announced and not decoded yet; 0 or less where none were announced. */
  private long announcedBytes;

  /**
   * Creates an empty queue that is not paused.
   *
   * @param bytes has what was received and not decoded; null for an HTTP/2 stream
   * @param handler receives each message, which it owns
   * @param resumed runs when reading resumes
   */
  InboundMessageQueue(
      ChannelHandlerContext ctx,
      @Nullable InboundByteQueue bytes,
      Consumer<HttpObject> handler,
      Runnable resumed) {
    this.ctx = ctx;
    this.bytes = bytes;
    this.handler = handler;
    this.onResume = resumed;
  }

  boolean isPaused() {
    return pauses != 0;
  }

  /** Returns the number of messages that wait. */
  int size() {
    return pending.size();
  }

  /** Returns whether nothing that was received waits. */
  boolean isEmpty() {
    return pending.isEmpty() && (bytes == null || bytes.isEmpty());
  }

  /** Returns whether no more bytes should be decoded now. */
  boolean isFull() {
    return pauses != 0 && pending.size() >= MAX_WAITING;
  }

  /**
   * Returns how many bytes of the body being decoded are worth one piece: all of those that were
   * announced, some of a body whose length is unknown, and 0 between two requests.
   */
  long bodyBytesAhead() {
    if (!isInBody) {
      return 0;
    }
    return announcedBytes > 0 || isPaused() ? Math.max(0, announcedBytes) : UNKNOWN_BODY_BYTES;
  }

  /**
   * Passes a message to the handler, or queues it while reading is paused. A message that arrives
   * while the handler still has another one waits for it: the handler may resume reading, and then
   * the next part of a body is read at once.
   */
  void accept(HttpObject part) {
    followBody(part);
    if (isDelivering || pauses != 0 || !pending.isEmpty()) {
      pending.add(part);
      watchForDisconnect(part);
      return;
    }
    isDelivering = true;
    try {
      handler.accept(part);
    } finally {
      isDelivering = false;
    }
    if (isStopped || !pending.isEmpty()) {
      goOn();
    }
  }

  private void followBody(HttpObject part) {
    if (part instanceof HttpRequest request) {
      isInBody = true;
      announcedBytes = HttpHeaderRules.contentLength(request); // a decoder removes it
    }
    if (part instanceof LastHttpContent) {
      isInBody = false;
    } else if (part instanceof HttpContent content) {
      announcedBytes -= content.content().readableBytes();
    }
  }

  /** Puts the unhandled rest of a message back at the head of the queue. */
  void putBack(HttpObject part) {
    pending.addFirst(part);
    watchForDisconnect(part);
  }

  /**
   * Reads once more while a complete request awaits admission, to detect that the client
   * disconnects. Only further requests can arrive then. Does nothing when many of them wait
   * already: a client that pipelines requests must not make each of its delays read more.
   */
  private void watchForDisconnect(HttpObject part) {
    if ((pauses & AWAITING_ADMISSION) != 0
        && !watchingForDisconnect
        && part instanceof LastHttpContent
        && (bytes == null || (bytes.isEmpty() && !isFull()))) {
      watchingForDisconnect = true;
      ctx.read();
    }
  }

  void pause(int reason) {
    if (!isStopped) {
      isStopped = true;
      ctx.channel().config().setAutoRead(false);
    }
    pauses |= reason;
  }

  void resume(int reason) {
    if ((pauses & reason) == 0) {
      return;
    }
    pauses &= ~reason;
    watchingForDisconnect = false;
    goOn();
  }

  /**
   * Passes queued messages to the handler until reading is paused again; otherwise reads on. Runs
   * on the stack of a node's connection, too, so what the handler throws goes to the client's.
   */
  private void goOn() {
    if (isDelivering) {
      return; // goes on when the handler returns
    }
    isDelivering = true;
    try {
      while (pauses == 0 && !pending.isEmpty()) {
        handler.accept(pending.remove());
      }
    } catch (Throwable e) { // errors too: nothing else would end the connection
      ctx.pipeline().fireExceptionCaught(e);
      return;
    } finally {
      isDelivering = false;
    }
    if (bytes != null) {
      bytes.decodeMore();
    }
    if (pauses == 0 && isStopped) {
      isStopped = false;
      onResume.run();
      ctx.channel().config().setAutoRead(true);
    }
  }

  /** Releases all queued messages. */
  void discard() {
    for (HttpObject part = pending.poll(); part != null; part = pending.poll()) {
      ReferenceCountUtil.release(part);
    }
  }
}
