package dev.weir.http.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * What a connection has decoded and not handled yet, while there is a reason to read no more of it.
 * Confined to its event loop.
 */
final class InboundMessageQueue {
  // Why reading is stopped; it goes on when no reason is left.
  static final int PIPELINE_FULL = 1;
  static final int BODY_PAUSED = 2;
  static final int AWAITING_ADMISSION = 4;

  private final ChannelHandlerContext ctx;
  private final Consumer<HttpObject> handler;
  private final Runnable onResume;
  private final ArrayDeque<HttpObject> pending = new ArrayDeque<>(0);
  private int pauses;
  private boolean replaying;
  private boolean watchingForDisconnect;

  /**
   * Makes an intake without a reason to stop.
   *
   * @param handler takes over what is handled
   * @param resumed runs when reading goes on
   */
  InboundMessageQueue(ChannelHandlerContext ctx, Consumer<HttpObject> handler, Runnable resumed) {
    this.ctx = ctx;
    this.handler = handler;
    this.onResume = resumed;
  }

  boolean isPaused() {
    return pauses != 0;
  }

  /** Handles what was decoded, or keeps it for later. */
  void accept(HttpObject part) {
    if (pauses == 0 && pending.isEmpty()) {
      handler.accept(part);
    } else {
      pending.add(part);
      watchForDisconnect(part);
    }
  }

  /** Keeps the rest of what is being handled, to be the next that is. */
  void putBack(HttpObject part) {
    pending.addFirst(part);
    watchForDisconnect(part);
  }

  /**
   * At the gate, with the whole request at hand, one more read finds out when the client goes away;
   * there is nothing else to come but further requests, of which it takes one buffer.
   */
  private void watchForDisconnect(HttpObject part) {
    if ((pauses & AWAITING_ADMISSION) != 0
        && !watchingForDisconnect
        && part instanceof LastHttpContent) {
      watchingForDisconnect = true;
      ctx.read();
    }
  }

  void pause(int why) {
    if (pauses == 0) {
      ctx.channel().config().setAutoRead(false);
    }
    pauses |= why;
  }

  void resume(int why) {
    if ((pauses & why) == 0) {
      return;
    }
    pauses &= ~why;
    watchingForDisconnect = false;
    if (pauses == 0) {
      replay();
    }
    if (pauses == 0) {
      onResume.run();
      ctx.channel().config().setAutoRead(true);
    }
  }

  /** Handles what had been decoded already when reading was stopped. */
  private void replay() {
    if (replaying) {
      return;
    }
    replaying = true;
    while (pauses == 0 && !pending.isEmpty()) {
      handler.accept(pending.remove());
    }
    replaying = false;
  }

  /** Nothing of what is kept will be handled. */
  void discard() {
    for (HttpObject part = pending.poll(); part != null; part = pending.poll()) {
      ReferenceCountUtil.release(part);
    }
  }
}
