package dev.weir.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BodyArrayTrimmerTest {
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  @AfterEach
  void close() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private int pooledBytes() throws InterruptedException, ExecutionException {
    return loops.submit(() -> ByteArrayPool.current().pooledBytes()).get();
  }

  private void useAnArray() throws InterruptedException, ExecutionException {
    loops
        .submit(() -> {
          ByteArrayPool own = ByteArrayPool.current();
          own.release(own.acquire(100_000));
        })
        .get();
  }

  @Test
  void trimEachLoopsArrays() throws Exception {
    useAnArray();
    assertThat(pooledBytes()).isPositive();
    try (BodyArrayTrimmer _ = new BodyArrayTrimmer(loops, Duration.ofMillis(20))) {
      CountDownLatch trimmed = new CountDownLatch(3);
      loops.scheduleWithFixedDelay(trimmed::countDown, 20, 20, TimeUnit.MILLISECONDS);
      while (pooledBytes() > 0) {
        assertThat(trimmed.await(1, TimeUnit.MINUTES)).isTrue();
      }
    }
    assertThat(pooledBytes()).isZero();
  }

  @Test
  void trimNothingOnceItIsClosed() throws Exception {
    new BodyArrayTrimmer(loops, Duration.ofMillis(5)).close();
    useAnArray();
    CountDownLatch passed = new CountDownLatch(3);
    loops.scheduleWithFixedDelay(passed::countDown, 20, 20, TimeUnit.MILLISECONDS);
    assertThat(passed.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(pooledBytes()).isPositive();
  }
}
