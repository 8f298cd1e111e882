package dev.weir.rest;

import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.io.IOException;
import java.util.List;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;

/**
 * A response format of one multi-search that differs from a node's. Used once, on the request's
 * event loop.
 */
public interface MultiSearchResponseFormat {
  /** Returns the format's name in error messages, for example {@code columnar}. */
  String name();

  /**
   * Adapts the searches in place, as {@link SearchResponseFormat#prepareRequest} does with one.
   *
   * @throws IllegalArgumentException if the format does not support one of them
   */
  void prepareRequests(List<SearchRequest> searches);

  /**
   * Writes the response to one search, or its failure. Called once for each search, in any order.
   *
   * @param part the search's position, from 0
   * @param request for its response options
   * @param outputs creates the outputs of this part, which are released if the call fails
   * @throws IllegalArgumentException if the format cannot show the response
   */
  void writePart(
      int part, MultiSearchResponse.Item item, RestRequest request, OutputFactory outputs)
      throws IOException;

  /** Returns the response, after all parts were written. */
  RestResponse toResponse(long tookMillis);
}
