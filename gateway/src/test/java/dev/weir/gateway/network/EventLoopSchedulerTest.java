package dev.weir.gateway.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventLoopSchedulerTest {
  private static final Duration DELAY = Duration.ofMillis(1);

  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
  private final EventLoopScheduler scheduler = new EventLoopScheduler(loops);

  @AfterEach
  void stop() {
    loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private static <T> T await(CompletableFuture<T> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(30, TimeUnit.SECONDS);
  }

  /** Schedules from {@code caller}; returns the thread on which {@code executor} is called. */
  private Thread timerThread(EventExecutor caller, EventExecutor executor) throws Exception {
    CompletableFuture<Thread> timer = new CompletableFuture<>();
    Executor recorded =
        action -> {
          timer.complete(Thread.currentThread());
          executor.execute(action);
        };
    CompletableFuture<Void> ran = new CompletableFuture<>();
    caller.execute(() -> scheduler.schedule(DELAY, recorded, () -> ran.complete(null)));
    await(ran);
    return await(timer);
  }

  private static Thread threadOf(EventExecutor loop) throws Exception {
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    loop.execute(() -> thread.complete(Thread.currentThread()));
    return await(thread);
  }

  @Test
  void runActionsOnTheirExecutor() throws Exception {
    EventExecutor other = new DefaultEventExecutor();
    try {
      for (EventExecutor caller : loops) {
        for (EventExecutor executor : new EventExecutor[] {loops.next(), caller, other}) {
          CompletableFuture<Thread> plain = new CompletableFuture<>();
          CompletableFuture<Thread> cancellable = new CompletableFuture<>();
          caller.execute(() -> {
            scheduler.schedule(DELAY, executor, () -> plain.complete(Thread.currentThread()));
            scheduler.scheduleCancellable(
                DELAY, executor, () -> cancellable.complete(Thread.currentThread()));
          });
          assertThat(await(plain)).isEqualTo(threadOf(executor));
          assertThat(await(cancellable)).isEqualTo(threadOf(executor));
        }
      }
    } finally {
      other.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  @Test
  void useTheTimerOfTheCurrentLoop() throws Exception {
    for (EventExecutor caller : loops) {
      for (EventExecutor executor : loops) {
        assertThat(timerThread(caller, executor)).isEqualTo(threadOf(caller));
      }
    }
  }

  /** An executor with a thread of its own, which says who handed over the last task. */
  private static final class RecordingExecutor extends SingleThreadEventExecutor {
    private final AtomicReference<Thread> lastCaller;

    RecordingExecutor(AtomicReference<Thread> lastCaller) {
      super(null, new DefaultThreadFactory("recording"), true);
      this.lastCaller = lastCaller;
    }

    @Override
    public void execute(Runnable task) {
      lastCaller.set(Thread.currentThread());
      super.execute(task);
    }

    @Override
    protected void run() {
      do {
        Runnable task = takeTask();
        if (task != null) {
          task.run();
          updateLastExecutionTime();
        }
      } while (!confirmShutdown());
    }
  }

  @Test
  void useTheTimerOfAnExecutorThatIsNoLoopOfItsOwn() throws Exception {
    AtomicReference<Thread> lastCaller = new AtomicReference<>();
    EventExecutor other = new RecordingExecutor(lastCaller);
    try {
      for (boolean isCancellable : new boolean[] {false, true}) {
        CompletableFuture<Thread> caller = new CompletableFuture<>();
        Runnable action = () -> caller.complete(lastCaller.get());
        other.execute(() -> {
          if (isCancellable) {
            scheduler.scheduleCancellable(DELAY, other, action);
          } else {
            scheduler.schedule(DELAY, other, action);
          }
        });
        assertThat(await(caller)).as("who hands the action over").isEqualTo(threadOf(other));
      }
    } finally {
      other.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  @Test
  void cancelActions() throws Exception {
    EventExecutor loop = loops.next();
    CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    loop.execute(() -> {
      Runnable canceller =
          scheduler.scheduleCancellable(DELAY, loop, () -> outcome.complete(false));
      canceller.run();
      scheduler.schedule(DELAY.multipliedBy(20), loop, () -> outcome.complete(true));
    });
    assertThat(await(outcome)).isTrue();
  }

  @Test
  void runActionsAfterTheLoopsHaveStopped() throws Exception {
    stop();
    CompletableFuture<Thread> plain = new CompletableFuture<>();
    CompletableFuture<Thread> cancellable = new CompletableFuture<>();

    scheduler.schedule(DELAY, Runnable::run, () -> plain.complete(Thread.currentThread()));
    scheduler.scheduleCancellable(
        DELAY, Runnable::run, () -> cancellable.complete(Thread.currentThread()));

    assertThat(await(plain)).isNotNull();
    assertThat(await(cancellable)).isNotNull();
  }
}
