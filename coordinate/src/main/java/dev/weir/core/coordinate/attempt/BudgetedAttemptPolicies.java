package dev.weir.core.coordinate.attempt;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.core.coordinate.AttemptPolicies;
import dev.weir.core.coordinate.AttemptPolicy;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestPolicy;
import dev.weir.routing.HedgePlanner;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.tail.HedgeSettings;
import dev.weir.routing.tail.RetryBudget;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The {@link AttemptPolicy} of each policy of a cluster. A policy with its own settings for retries
 * or hedging has its own budget: its requests can't spend the budget of others. All other policies
 * share the gateway's budget, so that many policies together can't cause a retry storm. The counts
 * are shared by all. Safe on any thread.
 */
public final class BudgetedAttemptPolicies implements AttemptPolicies {
  private final NodeLoadTracker loads;
  private final LongSupplier nanoTime;
  private final BooleanSupplier overloaded;
  private final AttemptCounts counts = new AttemptCounts();
  private final RequestPolicy.Section<BudgetedAttemptPolicy> section;

  /** For requests without a policy; created first. */
  private volatile @Nullable BudgetedAttemptPolicy defaultPolicy;

  /**
   * Starts with all counts at zero.
   *
   * @param nanoTime the clock that {@code loads} uses
   * @param overloaded whether the gateway is so busy that it must not send hedged requests
   */
  public BudgetedAttemptPolicies(
      NodeLoadTracker loads,
      PolicySectionRegistry<RoutingPolicy> sections,
      LongSupplier nanoTime,
      BooleanSupplier overloaded) {
    this.loads = loads;
    this.nanoTime = nanoTime;
    this.overloaded = overloaded;
    this.section = sections.register(this::build);
  }

  /** Starts with a full budget where the policy's own settings changed. */
  private BudgetedAttemptPolicy build(
      String name, RoutingPolicy settings, @Nullable BudgetedAttemptPolicy before) {
    BudgetedAttemptPolicy all = name.isEmpty() ? null : defaultPolicy;
    BudgetedAttemptPolicy made =
        new BudgetedAttemptPolicy(
            settings,
            buildHedgePlanner(settings, before, all),
            buildRetryBudget(settings, before, all),
            counts,
            overloaded);
    if (name.isEmpty()) {
      defaultPolicy = made;
    }
    return made;
  }

  private RetryBudget buildRetryBudget(
      RoutingPolicy settings,
      @Nullable BudgetedAttemptPolicy before,
      @Nullable BudgetedAttemptPolicy all) {
    if (all != null && all.routingPolicy().retries().equals(settings.retries())) {
      return all.retryBudget();
    }
    return before != null && before.routingPolicy().retries().equals(settings.retries())
        ? before.retryBudget()
        : new RetryBudget(settings.retries(), nanoTime);
  }

  private HedgePlanner buildHedgePlanner(
      RoutingPolicy settings,
      @Nullable BudgetedAttemptPolicy before,
      @Nullable BudgetedAttemptPolicy all) {
    HedgeSettings terms = HedgeSettings.of(settings.hedging());
    BudgetedAttemptPolicy like = before == null ? all : before;
    if (like == null) {
      return new HedgePlanner(loads, settings, nanoTime, terms);
    }
    return all == null
        ? like.hedgePlanner().withPolicy(settings, terms)
        : like.hedgePlanner().withPolicy(settings, terms, all.hedgePlanner());
  }

  @Override
  public AttemptPolicy forPolicy(RequestPolicy policy) {
    return policy.get(section);
  }

  /** The counts of all policies together. */
  public AttemptCounts counts() {
    return counts;
  }

  /** Hedged requests that the policy may send at once. */
  public double hedgeTokens(RequestPolicy policy) {
    return policy.get(section).hedgePlanner().tokens();
  }

  /** Searches of the policy that started over without tokens and have not ended. */
  public int unpaidRestarts(RequestPolicy policy) {
    return policy.get(section).hedgePlanner().unpaidRestarts();
  }

  /** Retries that the policy may send at once. */
  public double retryTokens(RequestPolicy policy) {
    return policy.get(section).retryBudget().tokens();
  }
}
