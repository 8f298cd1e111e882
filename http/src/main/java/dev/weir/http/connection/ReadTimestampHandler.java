package dev.weir.http.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Records when bytes arrive, before they are decoded. Confined to its channel's event loop. */
public final class ReadTimestampHandler extends ChannelInboundHandlerAdapter {

  private final LongSupplier nanoClock;
  private long lastReadNanos;
  private long firstReadNanos;
  private boolean hasReadBytes;
  private @Nullable Runnable onFirstHead;

  /**
   * Creates the handler of one channel.
   *
   * @param onFirstHead runs once, when the headers of the first request have arrived
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

  /** Returns when bytes arrived last, by the server's clock. */
  public long lastReadNanos() {
    return lastReadNanos;
  }

  /** Returns whether bytes have arrived since the last {@link #reset}. */
  boolean hasReadBytes() {
    return hasReadBytes;
  }

  /** Returns when the first bytes since the last {@link #reset} arrived. */
  long firstReadNanos() {
    return hasReadBytes ? firstReadNanos : lastReadNanos;
  }

  /** Marks the end of a request's headers or body: the next bytes start something new. */
  public void reset() {
    hasReadBytes = false;
    Runnable first = onFirstHead;
    if (first != null) {
      onFirstHead = null;
      first.run();
    }
  }
}
