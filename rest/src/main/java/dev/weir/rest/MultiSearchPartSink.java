package dev.weir.rest;

import java.io.IOException;
import org.opensearch.action.search.MultiSearchResponse;

/**
 * Takes the responses of a multi-search one by one, in any order, and keeps of each what is sent.
 * Confined to the request's event loop.
 */
public interface MultiSearchPartSink {
  /**
   * Takes the response to one search, or its failure. After a failure of this call nothing of it is
   * kept. Does nothing once the request has ended: searches of a client that has left still fail
   * afterwards.
   *
   * @param part the search's position, from 0
   * @throws org.opensearch.core.common.breaker.CircuitBreakingException if there is no memory
   */
  void write(int part, MultiSearchResponse.Item item) throws IOException;

  /** Returns what stands for the whole response, after all parts were written. */
  MultiSearchResponse toResponse(long tookMillis);
}
