package dev.weir.responses.export;

import dev.weir.model.PassThroughException;
import dev.weir.responses.columnar.InnerHitsDetector;
import dev.weir.rest.PassThroughReasons;
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

/** Rejects searches with a result that is more than a list of rows. */
final class ExportValidator {
  private static final String NONE = "none";

  private ExportValidator() {}

  /** Creates the error for an option that an export does not support. */
  static IllegalArgumentException reject(String what, String expected) {
    return new IllegalArgumentException(
        "got [" + what + "] with an export (expected: " + expected + ")");
  }

  /**
   * Rejects unsupported options.
   *
   * @throws IllegalArgumentException for an unsupported option
   * @throws PassThroughException if only a node can answer
   */
  static void validate(SearchRequest search) {
    SearchSourceBuilder source = search.source();
    String pipeline = search.pipeline();
    if ((pipeline != null && !SearchPipelineService.NOOP_PIPELINE_ID.equals(pipeline))
        || source.searchPipelineSource() != null
        || source.verbosePipeline()) {
      throw new PassThroughException(PassThroughReasons.SEARCH_PIPELINE);
    }
    rejectIf(source.aggregations() != null, "aggregations", NONE);
    rejectIf(source.suggest() != null, "suggest", NONE);
    rejectIf(source.collapse() != null, "collapse", NONE);
    rejectIf(source.from() > 0, "from", NONE);
    rejectIf(source.size() == 0, "size] of [0", "at least 1, or none for all rows");
    rejectIf(search.scroll() != null, "scroll", NONE);
    rejectIf(source.searchAfter() != null, "search_after", "a [cursor] to go on");
    rejectIf(
        source.slice() != null, "slice", "none; [slices] says how many pages are read at once");
    rejectIf(isNotEmpty(source.rescores()), "rescore", NONE);
    rejectIf(source.highlighter() != null, "highlight", NONE);
    rejectIf(Boolean.TRUE.equals(source.explain()), "explain", NONE);
    rejectIf(source.profile(), "profile", NONE);
    rejectIf(source.terminateAfter() > 0, "terminate_after", "none; [size] bounds the rows");
    rejectIf(source.timeout() != null, "timeout", "none: rows would be left out");
    rejectIf(isNotEmpty(source.ext()), "ext", NONE);
    rejectIf(InnerHitsDetector.hasInnerHits(source), "inner_hits", NONE);
    rejectIf(search.searchType() == SearchType.DFS_QUERY_THEN_FETCH, "dfs_query_then_fetch", NONE);
    rejectIf(
        Boolean.TRUE.equals(search.allowPartialSearchResults()),
        "allow_partial_search_results",
        "false: an export is whole, or broken off");
  }

  private static void rejectIf(boolean is, String what, String expected) {
    if (is) {
      throw reject(what, expected);
    }
  }

  private static boolean isNotEmpty(@Nullable List<?> things) {
    return things != null && !things.isEmpty();
  }

  /** Returns true if the client wants an order other than that of the documents in their shards. */
  static boolean isOrdered(SearchSourceBuilder source) {
    return isNotEmpty(source.sorts())
        && !source.sorts().stream().allMatch(ExportValidator::isUnsorted);
  }

  private static boolean isUnsorted(SortBuilder<?> sort) {
    return sort.order() == SortOrder.ASC
        && (sort instanceof ShardDocSortBuilder
            || (sort instanceof FieldSortBuilder field
                && (field.getFieldName().equals(FieldSortBuilder.DOC_FIELD_NAME)
                    || field.getFieldName().equals(ShardDocSortBuilder.NAME))));
  }
}
