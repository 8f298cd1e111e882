package dev.weir.core.actions;

import dev.weir.core.reduce.query.SearchSampling;
import dev.weir.model.RequestContext;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;

/**
 * Decides whether a search is answered by estimates. The module {@code responses} implements it.
 * Safe on any thread.
 */
public interface SearchSamplingPlanner {
  /**
   * How the search is estimated, and changes the request so that its shards answer enough for that;
   * null when all shards are queried.
   *
   * @throws IllegalArgumentException when the request asks for an estimate that is not possible
   */
  @Nullable SearchSampling planSample(SearchRequest request, RequestContext context);
}
