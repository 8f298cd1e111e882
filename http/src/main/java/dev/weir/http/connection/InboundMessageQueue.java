package dev.weir.http.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Queues the messages that a connection has decoded while reading is paused. Confined to its event
 * loop.
 */
final class InboundMessageQueue {
  // Reasons to pause, as bits; reading resumes when none is set.
  static final int PIPELINE_FULL = 1;
  static final int BODY_PAUSED = 2;
  static final int AWAITING_ADMISSION = 4;

  private final ChannelHandlerContext ctx;
  private final Consumer<HttpObject> handler;
  private final Runnable onResume;
  private final ArrayDeque<HttpObject> pending = new ArrayDeque<>(0);
  private int pauses;
  private boolean isDelivering;

  /** Whether the channel does not read. */
  private boolean isStopped;

  private boolean watchingForDisconnect;

  /**
   * Creates an empty queue that is not paused.
   *
   * @param handler receives each message, which it owns
   * @param resumed runs when reading resumes
   */
  InboundMessageQueue(ChannelHandlerContext ctx, Consumer<HttpObject> handler, Runnable resumed) {
    this.ctx = ctx;
    this.handler = handler;
    this.onResume = resumed;
  }

  boolean isPaused() {
    return pauses != 0;
  }

  /**
   * Passes a message to the handler, or queues it while reading is paused. A message that arrives
   * while the handler still has another one waits for it: the handler may resume reading, and then
   * the next part of a body is read at once.
   */
  void accept(HttpObject part) {
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

  /** Puts the unhandled rest of a message back at the head of the queue. */
  void putBack(HttpObject part) {
    pending.addFirst(part);
    watchForDisconnect(part);
  }

  /**
   * Reads once more while a complete request awaits admission, to detect that the client
   * disconnects. Only a further request can arrive then; it is queued and takes one buffer.
   */
  private void watchForDisconnect(HttpObject part) {
    if ((pauses & AWAITING_ADMISSION) != 0
        && !watchingForDisconnect
        && part instanceof LastHttpContent) {
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

  /** Passes queued messages to the handler until reading is paused again; otherwise reads on. */
  private void goOn() {
    if (isDelivering) {
      return; // goes on when the handler returns
    }
    isDelivering = true;
    try {
      while (pauses == 0 && !pending.isEmpty()) {
        handler.accept(pending.remove());
      }
    } finally {
      isDelivering = false;
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
