package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * A search response whose hits may exist only in reply frames. A writer that needs no objects reads
 * them there.
 */
public interface LazySearchResponse {
  /**
   * Returns the hits in their frames. Null if they are objects, or if the response has rare parts
   * that only its own class writes.
   */
  @Nullable ZeroCopyHits zeroCopyHits();

  /** Returns the number of matching documents; negative if it was not counted. */
  long totalHits();

  /** Returns whether the number of matching documents is exact rather than a lower bound. */
  boolean isTotalExact();

  /** Returns the highest score; NaN for none. */
  float maxScore();
}
