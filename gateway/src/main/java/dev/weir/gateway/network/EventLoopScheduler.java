package dev.weir.gateway.network;

import dev.weir.core.coordinate.DelayScheduler;
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
public final class EventLoopScheduler implements DelayScheduler {
  private final EventExecutorGroup loops;

  public EventLoopScheduler(EventExecutorGroup loops) {
    this.loops = loops;
  }

  @Override
  public void schedule(Duration delay, Executor home, Runnable action) {
    try {
      currentLoop().schedule(() -> home.execute(action), delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException stopping) {
      DelayScheduler.jdkTimer().schedule(delay, home, action);
    }
  }

  @Override
  public Runnable scheduleCancellable(Duration delay, Executor home, Runnable action) {
    CancellableAction alarm = new CancellableAction(action);
    try {
      ScheduledFuture<?> due =
          currentLoop().schedule(() -> home.execute(alarm), delay.toNanos(), TimeUnit.NANOSECONDS);
      return () -> {
        alarm.cancel();
        due.cancel(false);
      };
    } catch (RejectedExecutionException stopping) {
      DelayScheduler.jdkTimer().schedule(delay, home, alarm);
      return alarm::cancel;
    }
  }

  private EventExecutor currentLoop() {
    for (EventExecutor loop : loops) {
      if (loop.inEventLoop()) {
        return loop;
      }
    }
    return loops.next();
  }
}
