package dev.weir.rest;

import org.opensearch.action.search.SearchRequest;
import org.opensearch.rest.RestRequest;

/** Answers searches with all that they match, in one stream each. Safe on any thread. */
public interface Exports {
  /** There are none. */
  Exports NONE =
      new Exports() {
        @Override
        public boolean on() {
          return false;
        }

        @Override
        public Job read(RestRequest request, SearchRequest search) {
          throw new IllegalArgumentException("got an export (expected: none; they are off)");
        }
      };

  /** Whether there are any now; where not, a request for one is a node's. */
  boolean on();

  /**
   * Reads what a request says, whose parameters are consumed.
   *
   * @param search its body, and the parameters of searches
   * @throws IllegalArgumentException for what can't be exported
   */
  Job read(RestRequest request, SearchRequest search);

  /** One that was read. */
  @FunctionalInterface
  interface Job {
    /** Carries it out; fails by {@link StreamedRequest#fail}. */
    void begin(StreamedRequest request);
  }
}
