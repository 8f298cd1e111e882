package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SlowReaderEvictionTest {
  private final AtomicInteger evictions = new AtomicInteger();
  private final ArrayDeque<Runnable> timers = new ArrayDeque<>();
  private boolean awaited;
  private final SlowReaderEviction eviction =
      new SlowReaderEviction(
          evictions::incrementAndGet, () -> awaited, (_, _, action) -> timers.add(action));

  @Test
  void evictEachSecondWhileRequestsWait() {
    awaited = true;
    eviction.onWait();
    assertThat(evictions).hasValue(0);
    for (int round = 1; round <= 3; round++) {
      timers.remove().run();
      assertThat(evictions).hasValue(round);
    }
    awaited = false;
    timers.remove().run();
    assertThat(evictions).hasValue(3);
    assertThat(timers).isEmpty();
    eviction.onWait();
    assertThat(timers).hasSize(1);
  }

  @Test
  void scheduleOnceForManyRequests() {
    for (int i = 0; i < 100; i++) {
      eviction.onWait();
    }
    assertThat(timers).hasSize(1);
  }

  @Test
  void evictAtOnceForARejection() {
    eviction.onRejection();
    assertThat(evictions).hasValue(1);
    assertThat(timers).isEmpty();
  }
}
