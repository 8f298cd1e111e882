package dev.weir.rest;

import java.io.IOException;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;

/**
 * In what form, other than a node's, a client wants the answer to its search. Used once, on the
 * request's home.
 */
public interface SearchResponseFormat {
  /** What it is called where it can't be had, such as {@code columnar}. */
  String name();

  /**
   * Asks nodes for what the form needs, and for nothing that it leaves out.
   *
   * @throws IllegalArgumentException for a search whose answer has no such form
   */
  void prepareRequest(SearchRequest search);

  /**
   * Writes the answer.
   *
   * @param request for what it says of the answer
   * @param outputs where its bytes go
   */
  RestResponse writeResponse(SearchResponse answer, RestRequest request, OutputFactory outputs)
      throws IOException;

  /** Makes outputs that the request pays for, and that are given back when it is over. */
  interface OutputFactory {
    /**
     * An empty one.
     *
     * @param expectedBytes how much room it has at first; it grows
     */
    BytesStreamOutput open(int expectedBytes);
  }
}
