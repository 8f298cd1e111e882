package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class MemoryLedgerTest {
  private final MemoryLedger ledger = new MemoryLedger(1000);

  @Test
  void countsWhatIsTakenAndGivenBack() {
    assertThat(ledger.take(600)).isTrue();
    assertThat(ledger.take(400)).isTrue();
    assertThat(ledger.held()).isEqualTo(1000);
    ledger.giveBack(1000);
    assertThat(ledger.held()).isZero();
    assertThat(ledger.peak()).isEqualTo(1000);
  }

  @Test
  void refusesMoreThanThereIsAndTakesNothingThen() {
    assertThat(ledger.take(900)).isTrue();
    assertThat(ledger.take(101)).isFalse();
    assertThat(ledger.take(Long.MAX_VALUE)).isFalse();
    assertThat(ledger.held()).isEqualTo(900);
    assertThat(ledger.refused()).isEqualTo(2);
    assertThatThrownBy(() -> ledger.take(-1)).hasMessageContaining("expected: 0 or more");
  }

  @Test
  void neverHoldsMoreThanTheBoundAndReadsZeroAtRest() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      long seed = i;
      threads.add(Thread.ofPlatform().start(() -> takeAndGiveBack(new Random(seed))));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(ledger.held()).isZero();
    assertThat(ledger.peak()).isBetween(1L, 1000L);
  }

  private void takeAndGiveBack(Random random) {
    for (int n = 0; n < 2000; n++) {
      int bytes = random.nextInt(700);
      if (ledger.take(bytes)) {
        ledger.giveBack(bytes);
      }
    }
  }
}
