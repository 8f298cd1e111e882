package dev.weir.core.reduce.round;

import java.util.List;
import org.apache.lucene.search.BooleanClause;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.index.query.NestedQueryBuilder;
import org.opensearch.index.query.QueryBuilder;
import org.opensearch.index.query.QueryBuilderVisitor;
import org.opensearch.index.query.WrapperQueryBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * Decides whether the only queried shard of a search over several returns its documents together
 * with the query result, in one round trip. A shard does so if its request says that the search has
 * no other shard. The others were skipped because they have no match.
 *
 * <p>With more than one queried shard, each would load as many documents as the page has. Measured
 * with three shards and ten documents of 1 KB: the gateway's CPU time was the same, and that of the
 * nodes half as much again.
 */
final class FetchWithQueryPlanner {
  /**
   * The package of the queries that OpenSearch's core has; those of plugins may add to the hits.
   */
  private static final String CORE_QUERIES = QueryBuilder.class.getPackageName();

  private FetchWithQueryPlanner() {}

  /**
   * Returns whether the shard fetches with the query.
   *
   * @param queried the number of shards that are queried
   */
  static boolean canFetchWithQuery(SearchScope scope, int queried) {
    SearchRequest request = scope.request();
    SearchSourceBuilder source = request.source();
    return queried == 1
        && scope.shards().size() > 1
        && scope.sample() == null
        && request.scroll() == null
        && request.searchType() == SearchType.QUERY_THEN_FETCH
        && (source == null || (source.size() != 0 && hasPlainHits(source)));
  }

  /**
   * Returns whether the search asks for documents alone. Aggregations and suggestions of a single
   * shard are computed in another way. The rest may fail while documents are fetched, which a node
   * reports otherwise when it queries.
   */
  private static boolean hasPlainHits(SearchSourceBuilder source) {
    return source.aggregations() == null
        && source.suggest() == null
        && source.collapse() == null
        && source.highlighter() == null
        && source.slice() == null
        && source.pointInTimeBuilder() == null
        && source.storedFields() == null
        && !source.profile()
        && !Boolean.TRUE.equals(source.explain())
        && isEmpty(source.rescores())
        && isEmpty(source.docValueFields())
        && isEmpty(source.fetchFields())
        && isEmpty(source.scriptFields())
        && isEmpty(source.getDerivedFields())
        && source.ext().isEmpty()
        && hasPlainQuery(source.query())
        && hasPlainQuery(source.postFilter());
  }

  private static boolean isEmpty(@Nullable List<?> parts) {
    return parts == null || parts.isEmpty();
  }

  private static boolean hasPlainQuery(@Nullable QueryBuilder query) {
    if (query == null) {
      return true;
    }
    InnerHitsVisitor visitor = new InnerHitsVisitor();
    query.visit(visitor);
    return !visitor.mayAddToHits;
  }

  /** Searches a query for parts that may add to the hits, as inner hits do. */
  private static final class InnerHitsVisitor implements QueryBuilderVisitor {
    private boolean mayAddToHits;

    @Override
    public void accept(QueryBuilder query) {
      mayAddToHits |=
          query instanceof WrapperQueryBuilder
              || (query instanceof NestedQueryBuilder nested && nested.innerHit() != null)
              || !query.getClass().getPackageName().equals(CORE_QUERIES);
    }

    @Override
    public QueryBuilderVisitor getChildVisitor(BooleanClause.Occur occur) {
      return this;
    }
  }
}
