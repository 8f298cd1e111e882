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
 * Runs actions later, on the timers of event loops. A caller on an event loop uses the timer of
 * that loop, at once if the action shall run there too. Safe on any thread.
 */
public final class EventLoopScheduler implements DelayScheduler {
  private final EventExecutorGroup loops;

  public EventLoopScheduler(EventExecutorGroup loops) {
    this.loops = loops;
  }

  @Override
  public void schedule(Duration delay, Executor executor, Runnable action) {
    try {
      loopFor(executor)
          .schedule(() -> executor.execute(action), delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException stopping) {
      DelayScheduler.jdkTimer().schedule(delay, executor, action);
    }
  }

  @Override
  public Runnable scheduleCancellable(Duration delay, Executor executor, Runnable action) {
    CancellableAction cancellable = new CancellableAction(action);
    try {
      ScheduledFuture<?> timer =
          loopFor(executor)
              .schedule(() -> executor.execute(cancellable), delay.toNanos(), TimeUnit.NANOSECONDS);
      return () -> {
        cancellable.cancel();
        timer.cancel(false);
      };
    } catch (RejectedExecutionException stopping) {
      DelayScheduler.jdkTimer().schedule(delay, executor, cancellable);
      return cancellable::cancel;
    }
  }

  /** Returns the loop of the current thread, or any loop if the thread is another one. */
  private EventExecutor loopFor(Executor executor) {
    if (executor instanceof EventExecutor own && own.inEventLoop()) {
      return own;
    }
    for (EventExecutor loop : loops) {
      if (loop.inEventLoop()) {
        return loop;
      }
    }
    return loops.next();
  }
}
