package dev.weir.routing.tail;

import dev.weir.routing.RoutingPolicies;
import dev.weir.testkit.junit.InterleavingCheck;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

public final class BudgetInterleavingTest {
  @Test
  void withdrawRetriesInSomeOrder() {
    InterleavingCheck.assertLinearizable(RetryOperations.class);
  }

  @Test
  void withdrawHedgesInSomeOrder() {
    InterleavingCheck.assertLinearizable(HedgeOperations.class);
  }

  /** What requests do with a budget of retries that is nearly used up, while time stands still. */
  public static final class RetryOperations {
    private final RetryBudget budget =
        new RetryBudget(RoutingPolicies.PLAIN.retries(), () -> 1_000_000);

    public RetryOperations() {
      while (budget.tokens() >= 2) {
        budget.tryWithdraw();
      }
    }

    @Operation
    public void deposit() {
      budget.deposit();
    }

    @Operation
    public boolean tryWithdraw() {
      return budget.tryWithdraw();
    }

    @Operation
    public double tokens() {
      return budget.tokens();
    }
  }

  /** What requests do with a small budget of hedges. */
  public static final class HedgeOperations {
    private final HedgeBudget budget = new HedgeBudget(0.5, 2, () -> 0);

    public HedgeOperations() {}

    @Operation
    public void deposit() {
      budget.deposit();
    }

    @Operation
    public boolean tryWithdrawForLate() {
      return budget.tryWithdrawForLate();
    }

    @Operation
    public boolean tryWithdrawForStall() {
      return budget.tryWithdrawForStall();
    }

    @Operation
    public double tokens() {
      return budget.tokens();
    }
  }
}
