package dev.weir.bluegreen.traffic;

import dev.weir.config.policy.RollbackPolicy;
import dev.weir.routing.traffic.BudgetWindow;
import dev.weir.routing.traffic.BudgetWindow.Verdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What may go wrong by each policy before its requests go to one cluster. Safe on any thread. */
final class Budgets {
  private static final int SERVER_ERROR = 500;

  private final LongSupplier nanoClock;
  private final Spent spent;
  private final LongAdder rolledBack = new LongAdder();
  private volatile Map<String, Budget> byPolicy = Map.of();

  /** One policy's. */
  record Budget(RollbackPolicy policy, BudgetWindow window) {}

  /** Hears of a budget that is spent. */
  @FunctionalInterface
  interface Spent {
    /**
     * Too much went wrong.
     *
     * @param policy by which policy; empty for that of the whole gateway
     * @param to where its requests should go
     * @param why in words
     * @return whether they did not go there anyway
     */
    boolean on(String policy, String to, String why);
  }

  Budgets(LongSupplier nanoClock, Spent spent) {
    this.nanoClock = nanoClock;
    this.spent = spent;
  }

  /** Goes by these plans from now on; what was counted by a policy that stays the same is kept. */
  void use(List<Plan> plans) {
    Map<String, Budget> before = byPolicy;
    Map<String, Budget> now = new LinkedHashMap<>();
    for (Plan plan : plans) {
      RollbackPolicy policy = plan.policy().rollback();
      Budget old = before.get(plan.name());
      if (!policy.to().isEmpty()) {
        now.put(
            plan.name(),
            old != null && old.policy().equals(policy)
                ? old
                : new Budget(policy, new BudgetWindow(policy, nanoClock)));
      }
    }
    byPolicy = Map.copyOf(now);
  }

  /** A request was answered. */
  void over(String policy, String cluster, int status) {
    Budget budget = byPolicy.get(policy);
    if (budget != null) {
      budget.window().answered(cluster, status);
      if (status >= SERVER_ERROR) {
        conclude(policy, budget);
      }
    }
  }

  /** A shadow read was compared. */
  void compared(String policy, boolean different) {
    Budget budget = byPolicy.get(policy);
    if (budget != null) {
      budget.window().compared(different);
      if (different) {
        conclude(policy, budget);
      }
    }
  }

  private void conclude(String policy, Budget budget) {
    if (budget.window().verdict() instanceof Verdict.RollBack(String why)) {
      budget.window().reset();
      if (spent.on(policy, budget.policy().to(), why)) {
        rolledBack.increment();
      }
    }
  }

  /** What was counted by a policy; null when it has no budget. */
  BudgetWindow.@Nullable Figures of(String policy) {
    Budget budget = byPolicy.get(policy);
    return budget == null ? null : budget.window().figures();
  }

  /** How often a budget was spent. */
  long rolledBack() {
    return rolledBack.sum();
  }
}
