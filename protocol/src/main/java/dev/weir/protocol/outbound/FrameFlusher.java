package dev.weir.protocol.outbound;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Flushes a channel for several frames at a time, because each flush is a system call: once per
 * tick of the event loop. A frame that may wait leaves with the next one, or when many wait, or
 * after a short time. Sets one timer at a time. Confined to the event loop.
 */
public final class FrameFlusher {
  /** How long a frame waits for another one. */
  public static final Duration MAX_DEFERRAL = Duration.ofMillis(2);

  /** So many frames that may wait leave together. */
  public static final int MAX_DEFERRED_FRAMES = 16;

  private final EventLoop loop;
  private final Runnable channelFlush;
  private final Runnable tickEnd = this::flush;
  private final Runnable timer = this::onTimer;
  private boolean isFlushPending;
  private boolean isTimerSet;
  private int deferredFrames;

  /**
   * Starts with nothing to flush.
   *
   * @param channelFlush flushes the channel
   */
  public FrameFlusher(EventLoop loop, Runnable channelFlush) {
    this.loop = loop;
    this.channelFlush = channelFlush;
  }

  /** Flushes all frames of this tick at its end. */
  public void flushSoon() {
    if (!isFlushPending) {
      isFlushPending = true;
      loop.execute(tickEnd);
    }
  }

  /** Flushes a frame that may wait for another one. */
  public void flushWithNext() {
    if (isFlushPending) {
      return;
    }
    deferredFrames++;
    if (deferredFrames >= MAX_DEFERRED_FRAMES) {
      flushSoon();
    } else if (!isTimerSet) {
      isTimerSet = true;
      loop.schedule(timer, MAX_DEFERRAL.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** Flushes the frames that wait for another one; used before the channel closes. */
  public void flushDeferred() {
    if (deferredFrames > 0) {
      flush();
    }
  }

  private void onTimer() {
    isTimerSet = false;
    flushDeferred();
  }

  private void flush() {
    isFlushPending = false;
    deferredFrames = 0;
    channelFlush.run();
  }
}
