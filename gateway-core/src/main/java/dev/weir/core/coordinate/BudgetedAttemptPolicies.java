package dev.weir.core.coordinate;

import dev.weir.config.policy.RoutingPolicy;
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
 * The tails of a cluster's requests by their policies. A policy with terms of its own for retries
 * or hedging has a budget of its own for them: its requests can't spend what others may. All other
 * policies share that of the whole gateway, so that many policies make no storm. What is counted is
 * counted for all together. Safe on any thread.
 */
public final class BudgetedAttemptPolicies implements AttemptPolicies {
  private final NodeLoadTracker loads;
  private final LongSupplier nanoTime;
  private final BooleanSupplier overloaded;
  private final AttemptCounts counts = new AttemptCounts();
  private final RequestPolicy.Section<BudgetedAttemptPolicy> section;

  /** That of requests without a policy, which is made before the others. */
  private volatile @Nullable BudgetedAttemptPolicy defaultPolicy;

  /**
   * Makes them; nothing is counted yet.
   *
   * @param nanoTime the clock of {@code loads}
   * @param overloaded whether the gateway has so much to do that second requests must not add to it
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

  /** A budget is full again where its own terms differ from before. */
  private BudgetedAttemptPolicy build(
      String name, RoutingPolicy says, @Nullable BudgetedAttemptPolicy before) {
    BudgetedAttemptPolicy all = name.isEmpty() ? null : defaultPolicy;
    BudgetedAttemptPolicy made =
        new BudgetedAttemptPolicy(
            says,
            buildHedgePlanner(says, before, all),
            buildRetryBudget(says, before, all),
            counts,
            overloaded);
    if (name.isEmpty()) {
      defaultPolicy = made;
    }
    return made;
  }

  private RetryBudget buildRetryBudget(
      RoutingPolicy says,
      @Nullable BudgetedAttemptPolicy before,
      @Nullable BudgetedAttemptPolicy all) {
    if (all != null && all.routingPolicy().retries().equals(says.retries())) {
      return all.retryBudget();
    }
    return before != null && before.routingPolicy().retries().equals(says.retries())
        ? before.retryBudget()
        : new RetryBudget(says.retries(), nanoTime);
  }

  private HedgePlanner buildHedgePlanner(
      RoutingPolicy says,
      @Nullable BudgetedAttemptPolicy before,
      @Nullable BudgetedAttemptPolicy all) {
    HedgeSettings terms = HedgeSettings.of(says.hedging());
    BudgetedAttemptPolicy like = before == null ? all : before;
    if (like == null) {
      return new HedgePlanner(loads, says, nanoTime, terms);
    }
    return all == null
        ? like.hedgePlanner().withPolicy(says, terms)
        : like.hedgePlanner().withPolicy(says, terms, all.hedgePlanner());
  }

  @Override
  public AttemptPolicy forPolicy(RequestPolicy policy) {
    return policy.get(section);
  }

  /** What became of the requests of all policies. */
  public AttemptCounts counts() {
    return counts;
  }

  /** Second requests that those of a policy may send at once. */
  public double hedgeTokens(RequestPolicy policy) {
    return policy.get(section).hedgePlanner().tokens();
  }

  /** Copies that the requests of a policy may ask at once after failures. */
  public double retryTokens(RequestPolicy policy) {
    return policy.get(section).retryBudget().tokens();
  }
}
