package dev.weir.rest;

import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.rest.RestRequest;

/** Streams all matches of a search. Safe on any thread. */
public interface ExportHandler {
  /** Disabled exports. */
  ExportHandler NONE =
      new ExportHandler() {
        @Override
        public boolean isEnabled() {
          return false;
        }

        @Override
        public ExportJob parse(RestRequest request, SearchRequest search, @Nullable String cursor) {
          throw new IllegalArgumentException("got an export (expected: none; they are off)");
        }
      };

  /** Returns true if exports are enabled; otherwise such a request passes through to a node. */
  boolean isEnabled();

  /**
   * Parses a request and consumes its parameters.
   *
   * @param search the search from the request's body and parameters
   * @param cursor the cursor in the request's body; null for none
   * @throws IllegalArgumentException if the search cannot be exported
   */
  ExportJob parse(RestRequest request, SearchRequest search, @Nullable String cursor);

  /** A parsed export. */
  @FunctionalInterface
  interface ExportJob {
    /** Starts the export; it reports failures through {@link StreamingResponseSession#fail}. */
    void start(StreamingResponseSession request);
  }
}
