package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan;
import java.util.function.Consumer;

/**
 * A plan for the same search that leaves shards out, if it can be shown in time that they have
 * nothing for it.
 *
 * @param plan what is done then
 * @param proof shows it
 */
public record LeanPlan(SearchPlan plan, Proof proof) {
  /** Shows that shards have nothing for a search. */
  @FunctionalInterface
  public interface Proof {
    /** Tells once, soon, on any thread, whether it holds for a search that is under way now. */
    void show(Consumer<Boolean> told);

    /** Hears that a shard failed, so that the search begins once more and asks all. */
    default void dropped() {
      // of no interest
    }
  }
}
