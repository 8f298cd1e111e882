package dev.weir.core.actions.prune;

import java.util.Collection;
import java.util.Set;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.search.SearchService;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * Determines the searches whose response does not depend on shards without a match.
 *
 * <p>All others search every shard: suggestions and global aggregations see all documents,
 * significant terms count them, term statistics (dfs) cover all shards, profiles describe each
 * shard, the next pages of a scroll count the shards of the first, and a point in time is older
 * than the learned bounds. Only aggregations that are listed here count as independent.
 */
final class PrunabilityChecker {
  private static final Set<String> PRUNABLE_AGGREGATIONS =
      Set.of(
          "avg",
          "cardinality",
          "composite",
          "date_histogram",
          "date_range",
          "extended_stats",
          "filter",
          "filters",
          "histogram",
          "max",
          "min",
          "missing",
          "nested",
          "range",
          "reverse_nested",
          "stats",
          "sum",
          "terms",
          "value_count");

  private PrunabilityChecker() {}

  /** Returns whether shards without a match may be pruned. */
  static boolean isPrunable(SearchRequest request) {
    SearchSourceBuilder source = request.source();
    return SearchService.canRewriteToMatchNone(source)
        && request.pointInTimeBuilder() == null
        && request.scroll() == null
        && request.searchType() == SearchType.QUERY_THEN_FETCH
        && !source.profile()
        && (source.ext() == null || source.ext().isEmpty())
        && source.getDerivedFieldsObject() == null
        && (source.getDerivedFields() == null || source.getDerivedFields().isEmpty())
        && (source.aggregations() == null
            || arePrunable(source.aggregations().getAggregatorFactories()));
  }

  private static boolean arePrunable(Collection<AggregationBuilder> aggregations) {
    for (AggregationBuilder aggregation : aggregations) {
      boolean zeros =
          aggregation instanceof TermsAggregationBuilder terms && terms.minDocCount() == 0;
      if (zeros
          || !PRUNABLE_AGGREGATIONS.contains(aggregation.getType())
          || !arePrunable(aggregation.getSubAggregations())) {
        return false;
      }
    }
    return true;
  }
}
