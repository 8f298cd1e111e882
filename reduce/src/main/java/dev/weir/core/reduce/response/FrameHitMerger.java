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

/** Merges the results of a search to a response whose hits stay in the reply frames. */
public final class FrameHitMerger {
  private FrameHitMerger() {}

  /**
   * Returns the response, or null if its hits cannot stay in the frames.
   *
   * @param shards the hits by shard; null for a shard from which nothing was fetched
   * @param readers the reader of a whole fetch result, by its number of hits; it accounts for the
   *     memory
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
