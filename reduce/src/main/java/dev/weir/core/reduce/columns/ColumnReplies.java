package dev.weir.core.reduce.columns;

import dev.weir.core.reduce.columns.ColumnPage.FetchedShard;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.internal.ShardSearchContextId;

/**
 * The replies of a fetch whose shards may return columns, by call. Confined to the request's event
 * loop.
 */
public final class ColumnReplies {
  private final @Nullable ColumnFetchReader[] readers;
  private final ColumnFetchCounts counts;

  /** Creates replies to so many calls. */
  public ColumnReplies(int calls, ColumnFetchCounts counts) {
    this.counts = counts;
    this.readers = new ColumnFetchReader[calls];
  }

  /**
   * Returns the reader of the reply to a call for columns.
   *
   * @param documents the number of documents that the call asks for
   */
  public Writeable.Reader<FetchSearchResult> createReader(
      int call, ShardSearchContextId context, int documents) {
    ColumnFetchReader reader = new ColumnFetchReader(context, documents, counts);
    readers[call] = reader;
    return reader;
  }

  /** Returns the columns in the reply to a call; null if it has hits. */
  public @Nullable FetchedShard columnsOf(
      int call, @Nullable FetchSearchResult reply, SearchShardTarget target) {
    ColumnFetchReader reader = readers[call];
    ShardColumns columns = reader == null || reply == null ? null : reader.columnsOf(reply);
    return columns == null ? null : new FetchedShard(target, columns);
  }

  /**
   * Returns the page of a search all of whose shards returned columns; null if its response has
   * other parts.
   *
   * @param shards by shard; null for a shard that failed or from which nothing was fetched
   */
  public static @Nullable ColumnPage pageOf(ReducedResult best, @Nullable FetchedShard[] shards) {
    SearchInternals.DocPage wanted = SearchInternals.pageOf(best);
    return wanted == null ? null : ColumnPage.create(wanted, shards);
  }
}
