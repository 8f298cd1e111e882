package dev.weir.routing.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.RoutingPolicy;
import org.junit.jupiter.api.Test;

class RetryBudgetTest {
  private long now;
  private final RetryBudget budget =
      new RetryBudget(new RoutingPolicy.Retries(0.5, 10, 2), () -> now);

  @Test
  void spendAndEarnByRequests() {
    assertThat(budget.tryWithdraw()).isTrue();
    assertThat(budget.tryWithdraw()).isTrue();
    assertThat(budget.tryWithdraw()).isFalse();
    budget.deposit();
    assertThat(budget.tryWithdraw()).isFalse();
    budget.deposit();
    assertThat(budget.tryWithdraw()).isTrue();
  }

  @Test
  void refillOverTimeUpToTheBurst() {
    budget.tryWithdraw();
    budget.tryWithdraw();
    now += 100_000_000;
    assertThat(budget.tryWithdraw()).isTrue();
    assertThat(budget.tryWithdraw()).isFalse();
    now += 3_600_000_000_000L;
    assertThat(budget.tokens()).isEqualTo(2);
  }
}
