package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class MemoryPoolTest {
  private final MemoryPool ledger = new MemoryPool(1000);

  @Test
  void countReservedAndReleasedBytes() {
    assertThat(ledger.reserve(600)).isTrue();
    assertThat(ledger.reserve(400)).isTrue();
    assertThat(ledger.usedBytes()).isEqualTo(1000);
    ledger.release(1000);
    assertThat(ledger.usedBytes()).isZero();
    assertThat(ledger.peakBytes()).isEqualTo(1000);
  }

  @Test
  void refusesMoreThanThereIsAndTakesNothingThen() {
    assertThat(ledger.reserve(900)).isTrue();
    assertThat(ledger.reserve(101)).isFalse();
    assertThat(ledger.reserve(Long.MAX_VALUE)).isFalse();
    assertThat(ledger.usedBytes()).isEqualTo(900);
    assertThat(ledger.rejections()).isEqualTo(2);
    assertThatThrownBy(() -> ledger.reserve(-1)).hasMessageContaining("expected: 0 or more");
  }

  @Test
  void neverExceedTheBoundAndReturnToZero() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      long seed = i;
      threads.add(Thread.ofPlatform().start(() -> takeAndGiveBack(new Random(seed))));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(ledger.usedBytes()).isZero();
    assertThat(ledger.peakBytes()).isBetween(1L, 1000L);
  }

  private void takeAndGiveBack(Random random) {
    for (int n = 0; n < 2000; n++) {
      int bytes = random.nextInt(700);
      if (ledger.reserve(bytes)) {
        ledger.release(bytes);
      }
    }
  }
}
