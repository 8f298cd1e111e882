package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan;
import dev.weir.model.NodeCallType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A search ready to go.
 *
 * @param plan which shards on which copies
 * @param work all that knows OpenSearch
 * @param cancelAfter when the search is cancelled if it has no answer by then; zero for never
 * @param cancelReason what its tasks are told then
 * @param admissionWork what it asks of each shard, to be let in for; null where it is a part of
 *     what was
 * @param prunedPlan how to do with fewer shards; null where there is no such way
 */
public record PreparedSearch(
    SearchPlan plan,
    SearchWork work,
    Duration cancelAfter,
    String cancelReason,
    @Nullable NodeCallType admissionWork,
    @Nullable PrunedSearchPlan prunedPlan) {

  /** A search that is a part of what was let in. */
  public PreparedSearch(
      SearchPlan plan, SearchWork work, Duration cancelAfter, String cancelReason) {
    this(plan, work, cancelAfter, cancelReason, null, null);
  }
}
