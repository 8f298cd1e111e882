package dev.weir.responses.export;

import dev.weir.responses.columnar.InnerHits;
import dev.weir.rest.PassThroughReasons;
import dev.weir.model.PassThroughException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.pipeline.SearchPipelineService;
import org.opensearch.search.sort.FieldSortBuilder;
import org.opensearch.search.sort.ShardDocSortBuilder;
import org.opensearch.search.sort.SortBuilder;
import org.opensearch.search.sort.SortOrder;

/** Says which searches have an answer that is nothing but rows, all of them. */
final class Exportable {
  private static final String NONE = "none";

  private Exportable() {}

  /** A refusal of what an export can't have. */
  static IllegalArgumentException refused(String what, String expected) {
    return new IllegalArgumentException(
        "got [" + what + "] with an export (expected: " + expected + ")");
  }

  /**
   * Looks for what exports can't have.
   *
   * @throws IllegalArgumentException where there is some
   * @throws PassThroughException for what only a node could answer
   */
  static void check(SearchRequest search) {
    SearchSourceBuilder source = search.source();
    String pipeline = search.pipeline();
    if ((pipeline != null && !SearchPipelineService.NOOP_PIPELINE_ID.equals(pipeline))
        || source.searchPipelineSource() != null
        || source.verbosePipeline()) {
      throw new PassThroughException(PassThroughReasons.SEARCH_PIPELINE);
    }
    refuse(source.aggregations() != null, "aggregations", NONE);
    refuse(source.suggest() != null, "suggest", NONE);
    refuse(source.collapse() != null, "collapse", NONE);
    refuse(source.from() > 0, "from", NONE);
    refuse(source.size() == 0, "size] of [0", "at least 1, or none for all rows");
    refuse(search.scroll() != null, "scroll", NONE);
    refuse(source.searchAfter() != null, "search_after", "a [cursor] to go on");
    refuse(source.slice() != null, "slice", "none; [slices] says how many pages are read at once");
    refuse(isThere(source.rescores()), "rescore", NONE);
    refuse(source.highlighter() != null, "highlight", NONE);
    refuse(Boolean.TRUE.equals(source.explain()), "explain", NONE);
    refuse(source.profile(), "profile", NONE);
    refuse(source.terminateAfter() > 0, "terminate_after", "none; [size] bounds the rows");
    refuse(source.timeout() != null, "timeout", "none: rows would be left out");
    refuse(isThere(source.ext()), "ext", NONE);
    refuse(InnerHits.in(source), "inner_hits", NONE);
    refuse(search.searchType() == SearchType.DFS_QUERY_THEN_FETCH, "dfs_query_then_fetch", NONE);
    refuse(
        Boolean.TRUE.equals(search.allowPartialSearchResults()),
        "allow_partial_search_results",
        "false: an export is whole, or broken off");
  }

  private static void refuse(boolean is, String what, String expected) {
    if (is) {
      throw refused(what, expected);
    }
  }

  private static boolean isThere(@Nullable List<?> things) {
    return things != null && !things.isEmpty();
  }

  /** Whether rows are wanted in an order, which that of the documents in their shards is not. */
  static boolean isOrdered(SearchSourceBuilder source) {
    return isThere(source.sorts()) && !source.sorts().stream().allMatch(Exportable::isNone);
  }

  private static boolean isNone(SortBuilder<?> sort) {
    return sort.order() == SortOrder.ASC
        && (sort instanceof ShardDocSortBuilder
            || (sort instanceof FieldSortBuilder field
                && (field.getFieldName().equals(FieldSortBuilder.DOC_FIELD_NAME)
                    || field.getFieldName().equals(ShardDocSortBuilder.NAME))));
  }
}
