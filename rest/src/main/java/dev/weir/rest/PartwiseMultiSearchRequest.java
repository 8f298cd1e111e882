package dev.weir.rest;

import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.MultiSearchRequest;

/** A multi-search whose parts are written as soon as each is done. */
public final class PartwiseMultiSearchRequest extends MultiSearchRequest {
  private final MultiSearchPartSink writer;

  /**
   * Creates the request.
   *
   * @param writer takes the response to each of its searches
   */
  public PartwiseMultiSearchRequest(MultiSearchRequest parsed, MultiSearchPartSink writer) {
    this.writer = writer;
    indicesOptions(parsed.indicesOptions());
    if (parsed.maxConcurrentSearchRequests() != MAX_CONCURRENT_SEARCH_REQUESTS_DEFAULT) {
      maxConcurrentSearchRequests(parsed.maxConcurrentSearchRequests());
    }
    parsed.requests().forEach(this::add);
  }

  /** Returns the writer of a request's parts; null if its response is written as a whole. */
  public static @Nullable MultiSearchPartSink writerOf(MultiSearchRequest request) {
    return request instanceof PartwiseMultiSearchRequest partwise ? partwise.writer : null;
  }
}
