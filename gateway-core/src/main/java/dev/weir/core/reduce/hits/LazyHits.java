package dev.weir.core.reduce.hits;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.SearchHit;
import org.opensearch.search.fetch.FetchSearchResult;

/**
 * The hits of an answer that are not made objects of unless somebody asks for them. Used by one
 * thread, as long as their frames are held.
 */
public final class LazyHits {
  private final FrameHitPage page;
  private final IntFunction<Writeable.Reader<FetchSearchResult>> readers;
  private final @Nullable SearchHit[] hits;
  private boolean isMaterialized;

  /**
   * Makes them.
   *
   * @param readers by the number of hits, what reads a shard's answer as a whole, and has it paid
   *     for
   * @param hits where the objects go
   */
  public LazyHits(
      FrameHitPage page,
      IntFunction<Writeable.Reader<FetchSearchResult>> readers,
      @Nullable SearchHit[] hits) {
    this.page = page;
    this.readers = readers;
    this.hits = hits;
  }

  /** The same hits, without objects. */
  public FrameHitPage plainHits() {
    return page;
  }

  /**
   * Makes the objects; once.
   *
   * @throws org.opensearch.core.common.breaker.CircuitBreakingException when there is no room
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
