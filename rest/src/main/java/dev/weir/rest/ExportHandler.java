package dev.weir.rest;

import org.opensearch.action.search.SearchRequest;
import org.opensearch.rest.RestRequest;

/** Answers searches with all that they match, in one stream each. Safe on any thread. */
public interface ExportHandler {
  /** There are none. */
  ExportHandler NONE =
      new ExportHandler() {
        @Override
        public boolean isEnabled() {
          return false;
        }

        @Override
        public ExportJob parse(RestRequest request, SearchRequest search) {
          throw new IllegalArgumentException("got an export (expected: none; they are off)");
        }
      };

  /** Whether there are any now; where not, a request for one is a node's. */
  boolean isEnabled();

  /**
   * Reads a request and consumes its parameters.
   *
   * @param search its body, and the parameters of searches
   * @throws IllegalArgumentException for what can't be exported
   */
  ExportJob parse(RestRequest request, SearchRequest search);

  /** One that was read. */
  @FunctionalInterface
  interface ExportJob {
    /** Carries it out; fails by {@link StreamingResponseSession#fail}. */
    void start(StreamingResponseSession request);
  }
}
