package dev.weir.http.proxy;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The rest of a response that nobody needs. It is read and dropped, so that its connection can
 * serve another request; one that is too long or too slow closes its connection. Confined to the
 * connection's event loop.
 */
final class DiscardedResponse {
  /** A node's error is shorter; reading more would cost more than another connection. */
  static final int MAX_BYTES = 256 << 10;

  /** The whole response is read in this time: its connection is missing to other requests. */
  private static final Duration MAX_TIMEOUT = Duration.ofSeconds(5);

  private final Runnable onComplete;
  private final Runnable onUnusable;
  private final Future<?> timer;
  private int bytes;

  /**
   * Starts to discard what the connection reads from now on.
   *
   * @param onComplete called when the connection can serve another request
   * @param onUnusable called when the connection must be closed
   * @param stallTimeout bounds the whole response where it is shorter than five seconds
   */
  DiscardedResponse(
      Runnable onComplete, Runnable onUnusable, EventLoop eventLoop, Duration stallTimeout) {
    this.onComplete = onComplete;
    this.onUnusable = onUnusable;
    long timeout = Math.min(stallTimeout.toMillis(), MAX_TIMEOUT.toMillis());
    this.timer = eventLoop.schedule(onUnusable, timeout, TimeUnit.MILLISECONDS);
  }

  /** Drops a part; with the last one the connection returns to its pool. */
  void accept(HttpObject part) {
    boolean broken = part.decoderResult().isFailure();
    if (part instanceof HttpContent content) {
      bytes += content.content().readableBytes();
    }
    ReferenceCountUtil.release(part);
    if (broken || bytes > MAX_BYTES) {
      end();
      onUnusable.run();
    } else if (part instanceof LastHttpContent) {
      end();
      onComplete.run();
    }
  }

  /** Stops the timer: the response is complete, or its connection is closed. */
  void end() {
    timer.cancel(false);
  }
}
