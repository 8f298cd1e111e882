package dev.weir.model;

import org.jspecify.annotations.Nullable;

/** An answer to a search whose hits may be no objects yet, for who can do without. */
public interface LazySearchResponse {
  /**
   * Its hits; null where they are objects, or something rare is in the answer, which only its own
   * class tells.
   */
  @Nullable ZeroCopyHits zeroCopyHits();

  /** How many documents match; negative where nobody counted. */
  long totalHits();

  /** Whether there are not more. */
  boolean isTotalExact();

  /** NaN for none. */
  float maxScore();
}
