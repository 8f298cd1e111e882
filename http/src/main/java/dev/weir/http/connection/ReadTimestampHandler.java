package dev.weir.http.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Notes when bytes arrive, before they are decoded. Confined to its channel's event loop. */
public final class ReadTimestampHandler extends ChannelInboundHandlerAdapter {

  private final LongSupplier nanoClock;
  private long lastReadNanos;
  private long firstReadNanos;
  private boolean hasReadBytes;
  private @Nullable Runnable onFirstHead;

  /**
   * Makes a handler.
   *
   * @param onFirstHead runs when the client has sent the first of its heads
   */
  public ReadTimestampHandler(LongSupplier nanoClock, Runnable onFirstHead) {
    this.nanoClock = nanoClock;
    this.onFirstHead = onFirstHead;
    this.lastReadNanos = nanoClock.getAsLong();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    lastReadNanos = nanoClock.getAsLong();
    if (!hasReadBytes) {
      hasReadBytes = true;
      firstReadNanos = lastReadNanos;
    }
    ctx.fireChannelRead(message);
  }

  /** When bytes arrived last. */
  public long lastReadNanos() {
    return lastReadNanos;
  }

  /** Whether bytes have arrived since the last {@link #reset}. */
  boolean hasReadBytes() {
    return hasReadBytes;
  }

  /** When the first bytes since the last {@link #reset} arrived. */
  long firstReadNanos() {
    return hasReadBytes ? firstReadNanos : lastReadNanos;
  }

  /** A request's head or body is complete: the next bytes belong to something new. */
  public void reset() {
    hasReadBytes = false;
    Runnable first = onFirstHead;
    if (first != null) {
      onFirstHead = null;
      first.run();
    }
  }
}
