package dev.weir.rest;

import org.jspecify.annotations.Nullable;
import org.opensearch.rest.RestRequest;

/** Selects the response format of a search. Safe on any thread. */
public interface SearchResponseFormats {
  /** Only a node's format. */
  SearchResponseFormats NODE_FORMAT_ONLY = request -> null;

  /**
   * Returns the format that a search's parameters and headers request, and consumes the parameters;
   * null for a node's format.
   *
   * @throws IllegalArgumentException if a parameter is invalid
   */
  @Nullable SearchResponseFormat requestedFormat(RestRequest request);

  /**
   * Returns the format that a request for a further page of a scroll asks for, as {@link
   * #requestedFormat} does; null for a node's format. Nobody prepares a search for this format: the
   * scroll has begun before.
   *
   * @throws IllegalArgumentException if a parameter is invalid
   */
  default @Nullable SearchResponseFormat requestedPageFormat(RestRequest request) {
    return null;
  }

  /**
   * Returns the format that a multi-search asks for, as {@link #requestedFormat} does; null for a
   * node's format.
   *
   * @throws IllegalArgumentException if a parameter is invalid
   * @throws org.opensearch.OpenSearchStatusException if the format has no place for several
   *     responses
   */
  default @Nullable MultiSearchResponseFormat requestedMultiFormat(RestRequest request) {
    return null;
  }
}
