package dev.weir.core.reduce.hits;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.SearchHit;
import org.opensearch.search.fetch.FetchSearchResult;

/**
 * Hits that become objects only on demand. Used by one thread, as long as their frames are
 * retained.
 */
public final class LazyHits {
  private final FrameHitPage page;
  private final IntFunction<Writeable.Reader<FetchSearchResult>> readers;
  private final @Nullable SearchHit[] hits;
  private boolean isMaterialized;

  /**
   * Creates lazy hits.
   *
   * @param readers the reader of a whole fetch result, by its number of hits; it accounts for the
   *     memory
   * @param hits receives the objects
   */
  public LazyHits(
      FrameHitPage page,
      IntFunction<Writeable.Reader<FetchSearchResult>> readers,
      @Nullable SearchHit[] hits) {
    this.page = page;
    this.readers = readers;
    this.hits = hits;
  }

  /** Returns the same hits without objects. */
  public FrameHitPage plainHits() {
    return page;
  }

  /**
   * Creates the objects; repeated calls do nothing.
   *
   * @throws org.opensearch.core.common.breaker.CircuitBreakingException if there is not enough
   *     memory
   */
  public void materialize() {
    if (isMaterialized) {
      return;
    }
    try {
      page.materialize(readers, hits);
    } catch (IOException e) {
      throw new UncheckedIOException("hits that were there can't be read", e);
    }
    isMaterialized = true;
  }
}
