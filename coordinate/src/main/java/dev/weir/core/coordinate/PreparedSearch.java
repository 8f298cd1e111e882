package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan;
import dev.weir.model.NodeCallType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A search that is ready to start.
 *
 * @param plan which shards on which copies
 * @param work the parts that know OpenSearch
 * @param cancelAfter when the search is cancelled unless it has ended; zero for never
 * @param cancelReason the reason that its tasks get then
 * @param admissionWork what it causes on each shard, for admission; null for a part of an admitted
 *     search
 * @param prunedPlan the plan with fewer shards; null for none
 */
public record PreparedSearch(
    SearchPlan plan,
    SearchWork work,
    Duration cancelAfter,
    String cancelReason,
    @Nullable NodeCallType admissionWork,
    @Nullable PrunedSearchPlan prunedPlan) {

  /** A search that is a part of an admitted search. */
  public PreparedSearch(
      SearchPlan plan, SearchWork work, Duration cancelAfter, String cancelReason) {
    this(plan, work, cancelAfter, cancelReason, null, null);
  }
}
