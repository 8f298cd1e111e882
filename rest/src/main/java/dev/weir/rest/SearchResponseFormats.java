package dev.weir.rest;

import org.jspecify.annotations.Nullable;
import org.opensearch.rest.RestRequest;

/** The forms of answers to searches that clients may ask for. Safe on any thread. */
public interface SearchResponseFormats {
  /** Every answer is a node's. */
  SearchResponseFormats NODE_FORMAT_ONLY = request -> null;

  /**
   * What a search's parameters and headers ask for, which are consumed; null for a node's answer.
   *
   * @throws IllegalArgumentException when what they ask for can't be made out
   */
  @Nullable SearchResponseFormat requestedFormat(RestRequest request);
}
