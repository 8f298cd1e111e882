package dev.weir.core.reduce.hits;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.fetch.QueryFetchSearchResult;
import org.opensearch.search.query.QuerySearchResult;

/**
 * Reads the answer of a search's only shard, which has its documents with it: where these lie, if
 * they can stay there. One reader reads one answer, on the channel's event loop.
 */
public final class QueryFetchResultReader implements Writeable.Reader<SearchPhaseResult> {
  private final QueryResultReader query;
  private final FetchResultReader fetch = new FetchResultReader();

  /**
   * Makes a reader.
   *
   * @param query reads what stands before the documents
   */
  public QueryFetchResultReader(QueryResultReader query) {
    this.query = query;
  }

  /** The hits of an answer that was read here and has none itself; null if it has them. */
  public @Nullable FrameHits hitsIfDeferred(@Nullable FetchSearchResult read) {
    return read == null ? null : fetch.hitsIfDeferred(read);
  }

  @Override
  public SearchPhaseResult read(StreamInput in) throws IOException {
    QuerySearchResult found = query.read(in);
    return new QueryFetchSearchResult(found, fetch.read(in));
  }
}
