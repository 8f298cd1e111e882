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
 * Reads the result of a search's only shard, which contains its documents. If these can stay in the
 * reply frame, it records only their positions. One reader reads one result, on the channel's event
 * loop.
 */
public final class QueryFetchResultReader implements Writeable.Reader<SearchPhaseResult> {
  private final QueryResultReader query;
  private final FetchResultReader fetch = new FetchResultReader();

  /**
   * Creates a reader.
   *
   * @param query reads the part before the documents
   */
  public QueryFetchResultReader(QueryResultReader query) {
    this.query = query;
  }

  /** Returns the hits that stayed in the frame, or null if the result has its hits as objects. */
  public @Nullable FrameHits hitsIfDeferred(@Nullable FetchSearchResult read) {
    return read == null ? null : fetch.hitsIfDeferred(read);
  }

  @Override
  public SearchPhaseResult read(StreamInput in) throws IOException {
    QuerySearchResult found = query.read(in);
    return new QueryFetchSearchResult(found, fetch.read(in));
  }
}
