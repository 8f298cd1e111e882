package dev.weir.gateway.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
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

  @Test
  void useTheTimerOfAnExecutorThatIsNoLoopOfItsOwn() throws Exception {
    EventExecutor other = new DefaultEventExecutor();
    AtomicReference<Runnable> canceller = new AtomicReference<>();
    try {
      CompletableFuture<Thread> ran = new CompletableFuture<>();
      other.execute(() ->
          canceller.set(
              scheduler.scheduleCancellable(
                  DELAY, other, () -> ran.complete(Thread.currentThread()))));
      assertThat(await(ran)).isEqualTo(threadOf(other));
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
