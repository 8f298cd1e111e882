package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.rest.LongRequestPool.RequestExecutor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Long requests share threads; each runs its tasks one at a time. */
class LongRequestThreadPoolTest {
  private static final int LARGE_BYTES = 100_000_000;

  private final LongRequestThreadPool pool =
      new LongRequestThreadPool(DelayScheduler.jdkTimer(), 1);
  private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch busy = new CountDownLatch(1);

  @AfterEach
  void close() {
    busy.countDown();
    pool.close();
  }

  /** Occupies the only thread until {@link #busy} is counted down. */
  private RequestExecutor occupyThread() throws InterruptedException {
    RequestExecutor first = pool.open(0);
    CountDownLatch started = new CountDownLatch(1);
    first.execute(() -> {
      started.countDown();
      await(busy);
    });
    started.await();
    return first;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void runAll(RequestExecutor last) {
    CountDownLatch done = new CountDownLatch(1);
    last.execute(done::countDown);
    busy.countDown();
    await(done);
  }

  @Test
  void runSmallRequestsBeforeLargeOnes() throws InterruptedException {
    occupyThread();
    RequestExecutor large = pool.open(LARGE_BYTES);
    large.execute(() -> ran.add("large"));
    pool.open(1_000).execute(() -> ran.add("small"));
    runAll(large);
    assertThat(ran).containsExactly("small", "large");
  }

  @Test
  void runRequestsOfOneSizeInOrderOfArrival() throws InterruptedException {
    occupyThread();
    List<RequestExecutor> requests =
        IntStream.range(0, 3).mapToObj(i -> pool.open(LARGE_BYTES)).toList();
    for (int task = 0; task < 2; task++) {
      for (int i = 2; i >= 0; i--) {
        String name = i + "." + task;
        requests.get(i).execute(() -> ran.add(name));
      }
    }
    runAll(requests.get(2));
    assertThat(ran).startsWith("0.0", "0.1", "1.0", "1.1", "2.0", "2.1");
  }

  @Test
  void runTheTasksOfARequestOneAtATimeInOrder() throws InterruptedException {
    try (LongRequestThreadPool many = new LongRequestThreadPool(DelayScheduler.jdkTimer(), 4)) {
      RequestExecutor request = many.open(0);
      AtomicInteger running = new AtomicInteger();
      AtomicInteger mostAtOnce = new AtomicInteger();
      List<Integer> order = new ArrayList<>();
      CountDownLatch done = new CountDownLatch(1);
      for (int i = 0; i < 1000; i++) {
        int number = i;
        request.execute(() -> {
          mostAtOnce.accumulateAndGet(running.incrementAndGet(), Math::max);
          order.add(number);
          running.decrementAndGet();
        });
      }
      request.execute(done::countDown);
      done.await();
      assertThat(mostAtOnce).hasValue(1);
      assertThat(order).isEqualTo(IntStream.range(0, 1000).boxed().toList());
    }
  }

  @Test
  void continueAfterATaskThatFails() throws InterruptedException {
    RequestExecutor request = occupyThread();
    request.execute(() -> {
      throw new IllegalStateException("expected by the test");
    });
    request.execute(() -> ran.add("next"));
    runAll(request);
    assertThat(ran).containsExactly("next");
  }

  @Test
  void boundTheRequests() {
    List<RequestExecutor> all =
        IntStream.range(0, LongRequestThreadPool.MAX_OPEN).mapToObj(i -> pool.open(i)).toList();
    assertThatThrownBy(() -> pool.open(1)).isInstanceOf(RejectedExecutionException.class);
    all.getFirst().close();
    all.getFirst().close();
    pool.open(1);
    assertThatThrownBy(() -> pool.open(1)).isInstanceOf(RejectedExecutionException.class);
  }
}
