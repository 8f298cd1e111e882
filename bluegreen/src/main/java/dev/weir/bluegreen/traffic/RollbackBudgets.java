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

/**
 * The rollback budget of each policy: how many errors and differences it tolerates before its
 * traffic rolls back. Safe on any thread.
 */
final class RollbackBudgets {
  private final LongSupplier nanoClock;
  private final Listener listener;
  private final LongAdder rollbacks = new LongAdder();
  private volatile Map<String, Budget> byPolicy = Map.of();

  /** The budget of one policy. */
  record Budget(RollbackPolicy policy, ErrorBudgetMonitor window) {}

  /** Is notified of an exhausted budget, on the thread of the response; must not block. */
  @FunctionalInterface
  interface Listener {
    /**
     * A budget is exhausted.
     *
     * @param policy the policy's name; empty for the whole gateway
     * @param to the target of the rollback
     * @param reason for people
     */
    void onBudgetExhausted(String policy, String to, String reason);
  }

  RollbackBudgets(LongSupplier nanoClock, Listener spent) {
    this.nanoClock = nanoClock;
    this.listener = spent;
  }

  /** Applies new plans; keeps the counts of policies with the same budget. */
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

  /**
   * Records a response.
   *
   * @param nodesLost whether nodes were lost or did not answer in time. Other errors do not count:
   *     a client could cause them on purpose and so move the traffic of all others
   */
  void onRequestEnd(String policy, String cluster, boolean nodesLost) {
    Budget budget = byPolicy.get(policy);
    if (budget != null) {
      budget.window().onResponse(cluster, nodesLost);
      if (nodesLost) {
        checkExhausted(policy, budget);
      }
    }
  }

  /** Records the comparison of a shadow read. */
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
    if (budget.window().decide() instanceof Decision.RollBack(String reason)) {
      budget.window().reset();
      listener.onBudgetExhausted(policy, budget.policy().targetCluster(), reason);
    }
  }

  /** Counts a rollback that changed the traffic. */
  void onRollback() {
    rollbacks.increment();
  }

  /** The counts of a policy; null without a budget. */
  ErrorBudgetMonitor.@Nullable Counts counts(String policy) {
    Budget budget = byPolicy.get(policy);
    return budget == null ? null : budget.window().counts();
  }

  /** The number of rollbacks that changed the traffic. */
  long rollbacks() {
    return rollbacks.sum();
  }
}
