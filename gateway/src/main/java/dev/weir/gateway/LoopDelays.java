package dev.weir.gateway;

import dev.weir.core.coordinate.Delays;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Waits on the timers of event loops: on the caller's own where it is on one. Safe on any thread.
 */
final class LoopDelays implements Delays {
  private final EventExecutorGroup loops;

  LoopDelays(EventExecutorGroup loops) {
    this.loops = loops;
  }

  @Override
  public void after(Duration delay, Executor home, Runnable action) {
    try {
      own().schedule(() -> home.execute(action), delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException stopping) {
      Delays.real().after(delay, home, action);
    }
  }

  @Override
  public Runnable unlessCalledOff(Duration delay, Executor home, Runnable action) {
    Alarm alarm = new Alarm(action);
    try {
      ScheduledFuture<?> due =
          own().schedule(() -> home.execute(alarm), delay.toNanos(), TimeUnit.NANOSECONDS);
      return () -> {
        alarm.callOff();
        due.cancel(false);
      };
    } catch (RejectedExecutionException stopping) {
      Delays.real().after(delay, home, alarm);
      return alarm::callOff;
    }
  }

  private EventExecutor own() {
    for (EventExecutor loop : loops) {
      if (loop.inEventLoop()) {
        return loop;
      }
    }
    return loops.next();
  }
}
