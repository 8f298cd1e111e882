package dev.weir.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.MemoryPool;
import org.junit.jupiter.api.Test;

class LedgerFrameBudgetTest {
  private final MemoryPool pool = new MemoryPool(100);
  private final LedgerFrameBudget budget = new LedgerFrameBudget(pool);

  @Test
  void countNoRejectionWhereLessWouldDo() {
    assertThat(budget.tryReserve(101)).hasMessageContaining("larger than the limit of [100b]");
    assertThat(pool.rejections()).isZero();
    assertThat(budget.reserve(101)).hasMessageContaining("larger than the limit of [100b]");
    assertThat(pool.rejections()).isOne();
  }

  @Test
  void reserveFromThePool() {
    assertThat(budget.tryReserve(60)).isNull();
    assertThat(budget.reserve(40)).isNull();
    assertThat(pool.usedBytes()).isEqualTo(100);
    budget.release(100);
    assertThat(pool.usedBytes()).isZero();
  }
}
