package dev.weir.rest;

import java.io.IOException;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;

/**
 * A response format of one search that differs from a node's. Used once, on the request's event
 * loop.
 */
public interface SearchResponseFormat {
  /** Returns the format's name in error messages, for example {@code columnar}. */
  String name();

  /**
   * Adapts the search in place: nodes return what the format needs, and nothing that it leaves out.
   *
   * @throws IllegalArgumentException if the format does not support the search
   */
  void prepareRequest(SearchRequest search);

  /**
   * Returns whether the response can be written from columns of doc values in place of hits; called
   * after the search was adapted.
   */
  default boolean canReadColumns() {
    return false;
  }

  /**
   * Writes the response.
   *
   * @param request for its response options
   * @param outputs creates the outputs of the response
   */
  RestResponse writeResponse(SearchResponse answer, RestRequest request, OutputFactory outputs)
      throws IOException;

  /** Creates outputs that count against the request's memory and that are released at its end. */
  interface OutputFactory {
    /**
     * Opens an empty output.
     *
     * @param expectedBytes the initial capacity; the output grows
     */
    BytesStreamOutput open(int expectedBytes);
  }
}
