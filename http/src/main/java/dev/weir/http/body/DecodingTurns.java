package dev.weir.http.body;

import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Shares an event loop among the compressed bodies that it decodes. After a megabyte of output, the
 * bodies wait until the loop has served its other connections, and then go on one after the other:
 * a few bytes may decode to a thousand times as many, and a connection may send many such bodies at
 * once. One for each event loop, and confined to it.
 */
final class DecodingTurns {
  /** The output after which a turn is over, in bytes. */
  static final int BYTES_PER_TURN = 1 << 20;

  private static final FastThreadLocal<DecodingTurns> PER_LOOP =
      new FastThreadLocal<>() {
        @Override
        protected DecodingTurns initialValue() {
          return new DecodingTurns();
        }
      };

  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private int decodedBytes;
  private boolean isScheduled;

  private DecodingTurns() {}

  /** Returns the turns of the current event loop. */
  static DecodingTurns current() {
    return PER_LOOP.get();
  }

  /** Counts output of this turn. */
  void add(int bytes) {
    decodedBytes += bytes;
  }

  /** Returns whether nothing more may be decoded in this turn. */
  boolean isOver() {
    return decodedBytes >= BYTES_PER_TURN;
  }

  /**
   * Runs a task in a later turn, after those that wait already.
   *
   * @param rest decodes until {@link #isOver}; then it may wait again
   * @param loop the current event loop
   */
  void await(Runnable rest, ScheduledExecutorService loop) {
    waiting.add(rest);
    schedule(loop);
  }

  /** By the timer: of its ordinary tasks the loop runs 64 before it looks at the time. */
  private void schedule(ScheduledExecutorService loop) {
    if (!isScheduled) {
      loop.schedule(() -> run(loop), 0, TimeUnit.NANOSECONDS);
      isScheduled = true; // now that it did not throw
    }
  }

  private void run(ScheduledExecutorService loop) {
    isScheduled = false;
    decodedBytes = 0;
    try {
      while (!waiting.isEmpty() && !isOver()) {
        waiting.remove().run();
      }
    } finally {
      if (!waiting.isEmpty()) {
        schedule(loop);
      }
    }
  }
}
