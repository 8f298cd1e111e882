package dev.weir.http.body;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Gives the arrays of request bodies back to the garbage collector that no body has needed for an
 * interval, on each event loop. Without it a gateway would keep the memory of its largest burst.
 */
public final class BodyArrayTrimmer implements AutoCloseable {
  private final List<Future<?>> timers = new ArrayList<>();

  /**
   * Starts trimming.
   *
   * @param eventLoops those that read bodies
   */
  public BodyArrayTrimmer(EventExecutorGroup eventLoops, Duration interval) {
    for (EventExecutor loop : eventLoops) {
      timers.add(
          loop.scheduleWithFixedDelay(
              () -> ByteArrayPool.current().trim(),
              interval.toMillis(),
              interval.toMillis(),
              TimeUnit.MILLISECONDS));
    }
  }

  /** Stops trimming; may be called on any thread. */
  @Override
  public void close() {
    timers.forEach(timer -> timer.cancel(false));
  }
}
