package dev.weir.responses.columnar;

import org.opensearch.rest.RestRequest;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * The scores of the named queries that a hit matches. As on a node, only the parameter of the
 * request shows them, not the member of the body.
 */
public final class NamedQueryScores {
  private static final String PARAMETER = "include_named_queries_score";

  private NamedQueryScores() {}

  /** Returns whether the parameter of a request shows the scores. */
  public static boolean areRequested(RestRequest request) {
    return request.paramAsBoolean(PARAMETER, false);
  }

  /** Makes a search return the names alone. */
  public static void leaveOut(SearchSourceBuilder source) {
    if (source.includeNamedQueriesScore()) {
      source.includeNamedQueriesScores(false);
    }
  }
}
