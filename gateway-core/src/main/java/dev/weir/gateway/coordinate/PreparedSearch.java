package dev.weir.gateway.coordinate;

import dev.weir.gateway.plan.SearchPlan;
import dev.weir.gateway.reduce.SearchWork;
import java.time.Duration;

/**
 * A search ready to go.
 *
 * @param plan which shards on which copies
 * @param work all that knows OpenSearch
 * @param cancelAfter when the search is cancelled if it has no answer by then; zero for never
 * @param cancelReason what its tasks are told then
 */
public record PreparedSearch(
    SearchPlan plan, SearchWork work, Duration cancelAfter, String cancelReason) {}
