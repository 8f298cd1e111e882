package dev.weir.http;

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
final class Intake {
  // Why reading is stopped; it goes on when no reason is left.
  static final int PIPELINE_FULL = 1;
  static final int BODY_HELD = 2;
  static final int AT_GATE = 4;

  private final ChannelHandlerContext ctx;
  private final Consumer<HttpObject> handler;
  private final Runnable resumed;
  private final ArrayDeque<HttpObject> held = new ArrayDeque<>(0);
  private int pauses;
  private boolean replaying;
  private boolean listening;

  /**
   * Makes an intake without a reason to stop.
   *
   * @param handler takes over what is handled
   * @param resumed runs when reading goes on
   */
  Intake(ChannelHandlerContext ctx, Consumer<HttpObject> handler, Runnable resumed) {
    this.ctx = ctx;
    this.handler = handler;
    this.resumed = resumed;
  }

  boolean paused() {
    return pauses != 0;
  }

  /** Handles what was decoded, or keeps it for later. */
  void take(HttpObject part) {
    if (pauses == 0 && held.isEmpty()) {
      handler.accept(part);
    } else {
      held.add(part);
      listenForTheEnd(part);
    }
  }

  /** Keeps the rest of what is being handled, to be the next that is. */
  void putBack(HttpObject part) {
    held.addFirst(part);
    listenForTheEnd(part);
  }

  /**
   * At the gate, with the whole request at hand, one more read finds out when the client goes away;
   * there is nothing else to come but further requests, of which it takes one buffer.
   */
  private void listenForTheEnd(HttpObject part) {
    if ((pauses & AT_GATE) != 0 && !listening && part instanceof LastHttpContent) {
      listening = true;
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
    listening = false;
    if (pauses == 0) {
      replay();
    }
    if (pauses == 0) {
      resumed.run();
      ctx.channel().config().setAutoRead(true);
    }
  }

  /** Handles what had been decoded already when reading was stopped. */
  private void replay() {
    if (replaying) {
      return;
    }
    replaying = true;
    while (pauses == 0 && !held.isEmpty()) {
      handler.accept(held.remove());
    }
    replaying = false;
  }

  /** Nothing of what is kept will be handled. */
  void discard() {
    for (HttpObject part = held.poll(); part != null; part = held.poll()) {
      ReferenceCountUtil.release(part);
    }
  }
}
