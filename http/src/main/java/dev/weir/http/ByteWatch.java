package dev.weir.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Notes when bytes arrive, before they are decoded. Confined to its channel's event loop. */
final class ByteWatch extends ChannelInboundHandlerAdapter {

  private final LongSupplier nanoClock;
  private long lastNanos;
  private long firstNanos;
  private boolean begun;
  private @Nullable Runnable onFirstHead;

  /**
   * Makes a handler.
   *
   * @param onFirstHead runs when the client has sent the first of its heads
   */
  ByteWatch(LongSupplier nanoClock, Runnable onFirstHead) {
    this.nanoClock = nanoClock;
    this.onFirstHead = onFirstHead;
    this.lastNanos = nanoClock.getAsLong();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    lastNanos = nanoClock.getAsLong();
    if (!begun) {
      begun = true;
      firstNanos = lastNanos;
    }
    ctx.fireChannelRead(message);
  }

  /** When bytes arrived last. */
  long lastNanos() {
    return lastNanos;
  }

  /** Whether bytes have arrived since the last {@link #restart}. */
  boolean begun() {
    return begun;
  }

  /** When the first bytes since the last {@link #restart} arrived. */
  long firstNanos() {
    return begun ? firstNanos : lastNanos;
  }

  /** A request's head or body is complete: the next bytes belong to something new. */
  void restart() {
    begun = false;
    Runnable first = onFirstHead;
    if (first != null) {
      onFirstHead = null;
      first.run();
    }
  }
}
