package dev.weir.core.coordinate;

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
 * The tails of a cluster's requests by their policies. A policy with terms of its own for retries
 * or hedging has a budget of its own for them: its requests can't spend what others may. All other
 * policies share that of the whole gateway, so that many policies make no storm. What is counted is
 * counted for all together. Safe on any thread.
 */
public final class RoutedTails implements Tails {
  private final NodeLoadTracker loads;
  private final LongSupplier nanoTime;
  private final BooleanSupplier overloaded;
  private final TailCounts counts = new TailCounts();
  private final RequestPolicy.Section<RoutedTail> section;

  /** That of requests without a policy, which is made before the others. */
  private volatile @Nullable RoutedTail standard;

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
    RoutedTail all = name.isEmpty() ? null : standard;
    RoutedTail made =
        new RoutedTail(
            says, hedging(says, before, all), retries(says, before, all), counts, overloaded);
    if (name.isEmpty()) {
      standard = made;
    }
    return made;
  }

  private RetryBudget retries(
      RoutingPolicy says, @Nullable RoutedTail before, @Nullable RoutedTail all) {
    if (all != null && all.policy().retries().equals(says.retries())) {
      return all.retries();
    }
    return before != null && before.policy().retries().equals(says.retries())
        ? before.retries()
        : new RetryBudget(says.retries(), nanoTime);
  }

  private Hedging hedging(
      RoutingPolicy says, @Nullable RoutedTail before, @Nullable RoutedTail all) {
    HedgeTerms terms = HedgeTerms.of(says.hedging());
    RoutedTail like = before == null ? all : before;
    if (like == null) {
      return new Hedging(loads, says, nanoTime, terms);
    }
    return all == null
        ? like.hedging().by(says, terms)
        : like.hedging().by(says, terms, all.hedging());
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
