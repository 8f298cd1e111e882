package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan;
import java.util.function.Consumer;

/**
 * A plan for the same search that leaves shards out, if it can be shown in time that they have
 * nothing for it.
 *
 * @param plan what is done then
 * @param verifier shows it
 */
public record PrunedSearchPlan(SearchPlan plan, Proof verifier) {
  /** Shows that shards have nothing for a search. */
  @FunctionalInterface
  public interface Proof {
    /** Tells once, soon, on any thread, whether it holds for a search that is under way now. */
    void verify(Consumer<Boolean> told);

    /** Hears that a shard failed, so that the search begins once more and asks all. */
    default void onPlanDiscarded() {
      // of no interest
    }
  }
}
