package dev.weir.bluegreen.traffic;

import dev.weir.config.policy.RollbackPolicy;
import dev.weir.routing.traffic.ErrorBudgetMonitor;
import dev.weir.routing.traffic.ErrorBudgetMonitor.Decision;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What may go wrong by each policy before its requests go to one cluster. Safe on any thread. */
final class RollbackBudgets {
  private static final int SERVER_ERROR = 500;

  private final LongSupplier nanoClock;
  private final Listener listener;
  private final LongAdder rollbacks = new LongAdder();
  private volatile Map<String, Budget> byPolicy = Map.of();

  /** One policy's. */
  record Budget(RollbackPolicy policy, ErrorBudgetMonitor window) {}

  /** Hears of a budget that is spent. */
  @FunctionalInterface
  interface Listener {
    /**
     * Too much went wrong.
     *
     * @param policy by which policy; empty for that of the whole gateway
     * @param to where its requests should go
     * @param why in words
     * @return whether they did not go there anyway
     */
    boolean onBudgetExhausted(String policy, String to, String why);
  }

  RollbackBudgets(LongSupplier nanoClock, Listener spent) {
    this.nanoClock = nanoClock;
    this.listener = spent;
  }

  /** Goes by these plans from now on; what was counted by a policy that stays the same is kept. */
  void apply(List<TrafficPlan> plans) {
    Map<String, Budget> before = byPolicy;
    Map<String, Budget> now = new LinkedHashMap<>();
    for (TrafficPlan plan : plans) {
      RollbackPolicy policy = plan.policy().rollback();
      Budget old = before.get(plan.name());
      if (!policy.targetCluster().isEmpty()) {
        now.put(
            plan.name(),
            old != null && old.policy().equals(policy)
                ? old
                : new Budget(policy, new ErrorBudgetMonitor(policy, nanoClock)));
      }
    }
    byPolicy = Map.copyOf(now);
  }

  /** A request was answered. */
  void onRequestEnd(String policy, String cluster, int status) {
    Budget budget = byPolicy.get(policy);
    if (budget != null) {
      budget.window().onResponse(cluster, status);
      if (status >= SERVER_ERROR) {
        checkExhausted(policy, budget);
      }
    }
  }

  /** A shadow read was compared. */
  void onShadowCompared(String policy, boolean different) {
    Budget budget = byPolicy.get(policy);
    if (budget != null) {
      budget.window().onComparison(different);
      if (different) {
        checkExhausted(policy, budget);
      }
    }
  }

  private void checkExhausted(String policy, Budget budget) {
    if (budget.window().decide() instanceof Decision.RollBack(String why)) {
      budget.window().reset();
      if (listener.onBudgetExhausted(policy, budget.policy().targetCluster(), why)) {
        rollbacks.increment();
      }
    }
  }

  /** What was counted by a policy; null when it has no budget. */
  ErrorBudgetMonitor.@Nullable Counts figures(String policy) {
    Budget budget = byPolicy.get(policy);
    return budget == null ? null : budget.window().counts();
  }

  /** How often a budget was spent. */
  long rollbacks() {
    return rollbacks.sum();
  }
}
