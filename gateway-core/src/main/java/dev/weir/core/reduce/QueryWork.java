package dev.weir.core.reduce;

import dev.weir.model.Work;
import java.util.Set;
import org.apache.lucene.search.BooleanClause;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.index.query.QueryBuilder;
import org.opensearch.index.query.QueryBuilderVisitor;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.sort.ScriptSortBuilder;

/** Tells what a search asks of a shard from what is known of it before it is sent. */
public final class QueryWork {
  private static final int MANY = 100;
  private static final int USUAL_SIZE = 10;

  /** Queries that run a script for each document, or look at many terms or at vectors. */
  private static final Set<String> COSTLY =
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

  private QueryWork() {}

  /** What it asks of each of so many shards. */
  public static Work of(SearchRequest request, int shards) {
    Work work = ofMany(request);
    boolean fetches = shards == 1;
    return switch (work) {
      case HITS -> fetches ? Work.HITS_FETCHED : work;
      case MANY_HITS -> fetches ? Work.MANY_HITS_FETCHED : work;
      default -> work;
    };
  }

  /** What it asks of each of several shards. */
  static Work ofMany(SearchRequest request) {
    SearchSourceBuilder source = request.source();
    if (source == null) {
      return Work.HITS;
    }
    if (runsScripts(source) || costly(source.query()) || costly(source.postFilter())) {
      return Work.SCRIPTS;
    }
    if (source.aggregations() != null) {
      return Work.AGGREGATIONS;
    }
    int size = source.size() < 0 ? USUAL_SIZE : source.size();
    if (size == 0) {
      return Work.COUNT;
    }
    boolean many =
        Math.max(0, source.from()) + size > MANY
            || source.collapse() != null
            || (source.rescores() != null && !source.rescores().isEmpty());
    return many ? Work.MANY_HITS : Work.HITS;
  }

  private static boolean runsScripts(SearchSourceBuilder source) {
    boolean fields = source.scriptFields() != null && !source.scriptFields().isEmpty();
    boolean sorts =
        source.sorts() != null
            && source.sorts().stream().anyMatch(ScriptSortBuilder.class::isInstance);
    return fields || sorts || source.suggest() != null;
  }

  private static boolean costly(@Nullable QueryBuilder query) {
    if (query == null) {
      return false;
    }
    Search search = new Search();
    query.visit(search);
    return search.found;
  }

  /** Looks through a query for one that is costly. */
  private static final class Search implements QueryBuilderVisitor {
    private boolean found;

    @Override
    public void accept(QueryBuilder query) {
      found |= COSTLY.contains(query.getWriteableName());
    }

    @Override
    public QueryBuilderVisitor getChildVisitor(BooleanClause.Occur occur) {
      return this;
    }
  }
}
