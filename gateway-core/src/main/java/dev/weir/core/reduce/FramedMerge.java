package dev.weir.core.reduce;

import dev.weir.core.reduce.FramedPage.ShardHits;
import dev.weir.core.reduce.SplicedResponse.Merged;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.Reduced;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.SearchHit;
import org.opensearch.search.fetch.FetchSearchResult;

/** Makes an answer of what was found, with hits that stay in the frames of shards' answers. */
final class FramedMerge {
  private FramedMerge() {}

  /**
   * The answer; null if its hits can't stay there.
   *
   * @param shards by shard where its hits lie; null for one that nothing was fetched from
   * @param readers by the number of hits, what reads an answer as a whole, and has it paid for
   */
  static @Nullable Merged of(
      Reduced best,
      @Nullable ShardHits[] shards,
      IntFunction<Writeable.Reader<FetchSearchResult>> readers) {
    SearchInternals.Page wanted = SearchInternals.page(best);
    FramedPage page = wanted == null ? null : FramedPage.of(wanted, shards);
    if (page == null) {
      return null;
    }
    @Nullable SearchHit[] hits = new SearchHit[page.count()];
    return new Merged(
        SearchInternals.answer(best.rest(), hits), new UnreadHits(page, readers, hits));
  }
}
