package dev.weir.core.reduce.response;

import dev.weir.core.reduce.hits.FrameHitPage;
import dev.weir.core.reduce.hits.FrameHitPage.ShardFrameHits;
import dev.weir.core.reduce.hits.LazyHits;
import dev.weir.core.reduce.response.SplicedSearchResponse.MergedResponse;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.SearchHit;
import org.opensearch.search.fetch.FetchSearchResult;

/** Makes an answer of what was found, with hits that stay in the frames of shards' answers. */
public final class FrameHitMerger {
  private FrameHitMerger() {}

  /**
   * The answer; null if its hits can't stay there.
   *
   * @param shards by shard where its hits lie; null for one that nothing was fetched from
   * @param readers by the number of hits, what reads an answer as a whole, and has it paid for
   */
  public static @Nullable MergedResponse merge(
      ReducedResult best,
      @Nullable ShardFrameHits[] shards,
      IntFunction<Writeable.Reader<FetchSearchResult>> readers) {
    SearchInternals.DocPage wanted = SearchInternals.pageOf(best);
    FrameHitPage page = wanted == null ? null : FrameHitPage.createIfPlain(wanted, shards);
    if (page == null) {
      return null;
    }
    @Nullable SearchHit[] hits = new SearchHit[page.count()];
    return new MergedResponse(
        SearchInternals.buildResponse(best.withoutDocs(), hits), new LazyHits(page, readers, hits));
  }
}
