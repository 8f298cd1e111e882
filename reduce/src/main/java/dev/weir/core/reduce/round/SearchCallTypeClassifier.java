package dev.weir.core.reduce.round;

import dev.weir.model.NodeCallType;
import java.util.List;
import java.util.Set;
import org.apache.lucene.search.BooleanClause;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.index.query.QueryBuilder;
import org.opensearch.index.query.QueryBuilderVisitor;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.sort.ScriptSortBuilder;
import org.opensearch.search.sort.SortBuilder;

/** Classifies the cost of a search's call to one shard before the call is sent. */
public final class SearchCallTypeClassifier {
  private static final int LARGE_RESULT_SIZE = 100;
  private static final int DEFAULT_SIZE = 10;

  /** Queries that run a script per document, or that visit many terms or vectors. */
  private static final Set<String> COSTLY_QUERIES =
      Set.of(
          "script",
          "script_score",
          "function_score",
          "wildcard",
          "regexp",
          "fuzzy",
          "more_like_this",
          "percolate",
          "knn",
          "neural");

  private SearchCallTypeClassifier() {}

  /** Returns the type of a call when the search has so many shards. */
  public static NodeCallType perShard(SearchRequest request, int shards) {
    NodeCallType work = perShardOfMany(request);
    boolean fetches = shards == 1;
    return switch (work) {
      case HITS -> fetches ? NodeCallType.QUERY_AND_FETCH : work;
      case MANY_HITS -> fetches ? NodeCallType.QUERY_AND_FETCH_MANY : work;
      default -> work;
    };
  }

  /** Returns the type of a call when the search has several shards. */
  static NodeCallType perShardOfMany(SearchRequest request) {
    SearchSourceBuilder source = request.source();
    if (source == null) {
      return NodeCallType.HITS;
    }
    if (hasScripts(source)
        || hasCostlyQuery(source.query())
        || hasCostlyQuery(source.postFilter())) {
      return NodeCallType.SCRIPTS;
    }
    if (source.aggregations() != null) {
      return NodeCallType.AGGREGATIONS;
    }
    int size = source.size() < 0 ? DEFAULT_SIZE : source.size();
    if (size == 0) {
      return NodeCallType.COUNT;
    }
    boolean many =
        Math.max(0, source.from()) + size > LARGE_RESULT_SIZE
            || source.collapse() != null
            || (source.rescores() != null && !source.rescores().isEmpty());
    return many ? NodeCallType.MANY_HITS : NodeCallType.HITS;
  }

  private static boolean hasScripts(SearchSourceBuilder source) {
    boolean fields = source.scriptFields() != null && !source.scriptFields().isEmpty();
    return fields || source.suggest() != null || hasScriptSort(source.sorts());
  }

  private static boolean hasScriptSort(@Nullable List<SortBuilder<?>> sorts) {
    if (sorts != null) {
      for (SortBuilder<?> sort : sorts) {
        if (sort instanceof ScriptSortBuilder) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean hasCostlyQuery(@Nullable QueryBuilder query) {
    if (query == null) {
      return false;
    }
    CostlyQueryVisitor search = new CostlyQueryVisitor();
    query.visit(search);
    return search.hasFoundCostly;
  }

  /** Searches a query tree for a costly query. */
  private static final class CostlyQueryVisitor implements QueryBuilderVisitor {
    private boolean hasFoundCostly;

    @Override
    public void accept(QueryBuilder query) {
      hasFoundCostly |= COSTLY_QUERIES.contains(query.getWriteableName());
    }

    @Override
    public QueryBuilderVisitor getChildVisitor(BooleanClause.Occur occur) {
      return this;
    }
  }
}
