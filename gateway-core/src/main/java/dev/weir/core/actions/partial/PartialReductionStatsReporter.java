package dev.weir.core.actions.partial;

import dev.weir.core.coordinate.batch.PartialReductionCounts;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import java.util.Map;

/**
 * Reports what nodes left out of the results of their shards: the section {@code partial_reduction}
 * of {@code /stats}, and its metrics.
 */
public record PartialReductionStatsReporter(PartialReductionCounts counts)
    implements StatsReporter {
  @Override
  public Map<String, Object> sections() {
    return Map.of(
        "partial_reduction",
        Map.of(
            "hits",
            counts.hits(),
            "aggregations",
            counts.aggregations(),
            "repeated_queries",
            counts.repeatedQueries()));
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics.counter(
        "weir_partial_reduction_hits",
        "Hits of shards that nodes did not send because enough others are better",
        counts::hits);
    metrics.counter(
        "weir_partial_reduction_aggregations",
        "Shards whose aggregations nodes sent as a part of another shard's",
        counts::aggregations);
    metrics.counter(
        "weir_partial_reduction_repeated_queries",
        "Queries sent again because another result that the node had reduced with theirs was not"
            + " used",
        counts::repeatedQueries);
  }
}
