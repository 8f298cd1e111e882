package dev.weir.gateway.coordinate;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.PolicySections;
import dev.weir.model.RequestPolicy;
import dev.weir.routing.Hedging;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.tail.HedgeTerms;
import dev.weir.routing.tail.RetryBudget;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The tails of a cluster's requests by their policies, each with budgets of its own: the requests
 * of one can't spend what another's may. What is counted is counted for all together. Safe on any
 * thread.
 */
public final class RoutedTails implements Tails {
  private final NodeLoadTracker loads;
  private final LongSupplier nanoTime;
  private final BooleanSupplier overloaded;
  private final TailCounts counts = new TailCounts();
  private final RequestPolicy.Section<RoutedTail> section;

  /** Knows what response times are usual, for policies that are new. */
  private volatile @Nullable Hedging standard;

  /**
   * Makes them; nothing is counted yet.
   *
   * @param nanoTime the clock of {@code loads}
   * @param overloaded whether the gateway has so much to do that second requests must not add to it
   */
  public RoutedTails(
      NodeLoadTracker loads,
      PolicySections<RoutingPolicy> sections,
      LongSupplier nanoTime,
      BooleanSupplier overloaded) {
    this.loads = loads;
    this.nanoTime = nanoTime;
    this.overloaded = overloaded;
    this.section = sections.add(this::ready);
  }

  /** A budget is full again where its own terms differ from before. */
  private RoutedTail ready(String name, RoutingPolicy says, @Nullable RoutedTail before) {
    RetryBudget retries =
        before != null && before.policy().retries().equals(says.retries())
            ? before.retries()
            : new RetryBudget(says.retries(), nanoTime);
    Hedging hedging = hedging(says, before);
    if (name.isEmpty()) {
      standard = hedging;
    }
    return new RoutedTail(says, hedging, retries, counts, overloaded);
  }

  private Hedging hedging(RoutingPolicy says, @Nullable RoutedTail before) {
    HedgeTerms terms = HedgeTerms.of(says.hedging());
    if (before != null) {
      return before.hedging().by(says, terms);
    }
    Hedging known = standard;
    return known == null ? new Hedging(loads, says, nanoTime, terms) : known.besides(says, terms);
  }

  @Override
  public Tail by(RequestPolicy policy) {
    return policy.of(section);
  }

  /** What became of the requests of all policies. */
  public TailCounts counts() {
    return counts;
  }

  /** Second requests that those of a policy may send at once. */
  public double hedgeTokens(RequestPolicy policy) {
    return policy.of(section).hedging().tokens();
  }

  /** Copies that the requests of a policy may ask at once after failures. */
  public double retryTokens(RequestPolicy policy) {
    return policy.of(section).retries().tokens();
  }
}
