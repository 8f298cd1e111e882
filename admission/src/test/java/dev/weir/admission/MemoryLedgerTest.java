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
  void aLeaseGivesBackAllItHoldsOnce() {
    MemoryLease lease = ledger.open();
    assertThat(lease.take(600)).isTrue();
    assertThat(lease.take(400)).isTrue();
    assertThat(ledger.held()).isEqualTo(1000);
    lease.giveBack(100);
    assertThat(lease.held()).isEqualTo(900);
    lease.close();
    lease.close();
    assertThat(ledger.held()).isZero();
    assertThat(ledger.peak()).isEqualTo(1000);
  }

  @Test
  void refusesMoreThanThereIsAndTakesNothingThen() {
    MemoryLease lease = ledger.open();
    assertThat(lease.take(900)).isTrue();
    assertThat(ledger.open().take(101)).isFalse();
    assertThat(lease.take(Long.MAX_VALUE)).isFalse();
    assertThat(ledger.held()).isEqualTo(900);
    assertThat(ledger.refused()).isEqualTo(2);
  }

  @Test
  void aClosedLeaseTakesNothing() {
    MemoryLease lease = ledger.open();
    lease.close();
    assertThat(lease.take(1)).isFalse();
    lease.giveBack(1);
    assertThat(ledger.held()).isZero();
    assertThatThrownBy(() -> lease.take(-1)).hasMessageContaining("expected: 0 or more");
  }

  @Test
  void neverHoldsMoreThanTheBoundAndReadsZeroAtRest() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      long seed = i;
      threads.add(Thread.ofVirtual().start(() -> takeAndClose(new Random(seed))));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(ledger.held()).isZero();
    assertThat(ledger.peak()).isBetween(1L, 1000L);
  }

  private void takeAndClose(Random random) {
    for (int n = 0; n < 2000; n++) {
      try (MemoryLease lease = ledger.open()) {
        lease.take(random.nextInt(700));
        lease.take(random.nextInt(700));
        lease.giveBack(random.nextInt(100));
      }
    }
  }
}
