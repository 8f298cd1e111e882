package dev.weir.core.actions;

import dev.weir.core.reduce.response.SearchTrimming;
import dev.weir.model.RequestContext;
import java.util.List;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.core.index.Index;

/**
 * Decides what a search's response leaves out, and changes the request so that nodes send no more
 * than the rest. The module {@code responses} implements it. Safe on any thread.
 */
public interface SearchTrimmer {
  /**
   * Decides by the request alone, and narrows what it fetches.
   *
   * @throws IllegalArgumentException when the request names an unknown profile or part
   */
  SearchTrimming narrow(SearchRequest request, RequestContext context);

  /**
   * Narrows the fields of documents, where the mappings of all indices allow it.
   *
   * @param trimming what {@link #narrow} returned for the request
   * @param indices the indices that the search resolves to
   * @return what the response leaves out now
   */
  SearchTrimming narrowDocuments(
      SearchTrimming trimming, SearchRequest request, ClusterState state, List<Index> indices);
}
