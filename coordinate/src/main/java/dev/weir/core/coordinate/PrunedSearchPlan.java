package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan;
import java.util.function.Consumer;

/**
 * A plan for the same search that leaves shards out, if the gateway can prove in time that they
 * have no match.
 *
 * @param plan the smaller plan
 * @param verifier proves that it is safe
 */
public record PrunedSearchPlan(SearchPlan plan, Proof verifier) {
  /** Proves that shards have no match for a search. */
  @FunctionalInterface
  public interface Proof {
    /** Reports once, soon, on any thread, whether the proof holds for a search that runs now. */
    void verify(Consumer<Boolean> listener);

    /** Hears that no queried shard answered, so that the search starts over with all shards. */
    default void onPlanDiscarded() {
      // not recorded
    }
  }
}
