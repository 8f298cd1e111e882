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
}
