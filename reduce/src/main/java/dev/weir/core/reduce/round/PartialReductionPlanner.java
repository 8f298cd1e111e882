package dev.weir.core.reduce.round;

import dev.weir.core.coordinate.batch.PartialReduction;
import dev.weir.core.coordinate.batch.PartialReductionCounts;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.search.SearchService;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * Decides what nodes may leave out of the results of a search's shards, so that the response stays
 * the same bit for bit.
 *
 * <p>A search that is sorted by score alone needs, of the shards of one node, only the best {@code
 * from + size} hits: the gateway orders hits by score, then by shard, then by their place in the
 * shard's result, and every hit that a node leaves out has that many before it in this order.
 * Everything else in a shard's result stays: counts of hits, the best score, aggregations. Safe on
 * any thread.
 */
public final class PartialReductionPlanner {
  private PartialReductionPlanner() {}

  /** Returns what nodes may leave out; null for nothing. */
  public static @Nullable PartialReduction plan(SearchScope scope, PartialReductionCounts counts) {
    SearchRequest request = scope.request();
    SearchSourceBuilder source = request.source();
    if (scope.shards().size() < 2
        || scope.sample() != null
        || request.scroll() != null
        || request.searchType() != SearchType.QUERY_THEN_FETCH
        || (source != null && !hasHitsByScoreAlone(source))) {
      return null;
    }
    int from = source == null ? 0 : Math.max(0, source.from());
    int size = source == null || source.size() < 0 ? SearchService.DEFAULT_SIZE : source.size();
    long maxHits = (long) from + size;
    return size == 0 || maxHits > Integer.MAX_VALUE
        ? null
        : new PartialReduction((int) maxHits, counts);
  }

  /**
   * Returns whether shards return hits in the order of their scores, and nothing that a hit of the
   * response refers to but the hit's own context.
   */
  private static boolean hasHitsByScoreAlone(SearchSourceBuilder source) {
    return isEmpty(source.sorts())
        && isEmpty(source.rescores())
        && isEmpty(source.ext())
        && source.searchAfter() == null
        && source.collapse() == null
        && source.suggest() == null
        && source.pointInTimeBuilder() == null
        && !source.profile();
  }

  private static boolean isEmpty(@Nullable List<?> parts) {
    return parts == null || parts.isEmpty();
  }
}
