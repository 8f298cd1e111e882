package dev.weir.core.reduce.columns;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.internal.ShardSearchContextId;

/**
 * Reads one shard's reply: columns, or the hits that the node chose to return instead (see the
 * plugin's {@code ColumnFetchResponse}). One reader reads one reply, on the channel's event loop.
 */
final class ColumnFetchReader implements Writeable.Reader<FetchSearchResult> {
  private final ShardSearchContextId context;
  private final int documents;
  private final ColumnFetchCounts counts;
  private @Nullable FetchSearchResult result;
  private @Nullable ShardColumns columns;

  /**
   * Creates a reader.
   *
   * @param context the search context, which the reply does not repeat
   * @param documents the number of documents that were asked for
   */
  ColumnFetchReader(ShardSearchContextId context, int documents, ColumnFetchCounts counts) {
    this.context = context;
    this.counts = counts;
    this.documents = documents;
  }

  /** Returns the columns of a result that has no hits; null if it has its hits. */
  @Nullable ShardColumns columnsOf(FetchSearchResult read) {
    return result == read ? columns : null;
  }

  @Override
  public FetchSearchResult read(StreamInput in) throws IOException {
    if (!in.readBoolean()) {
      counts.recordHits();
      return new FetchSearchResult(in);
    }
    ShardColumns found = ShardColumns.read(in, documents);
    FetchSearchResult read = new FetchSearchResult(context, null);
    counts.recordColumns();
    result = read;
    columns = found;
    return read;
  }
}
