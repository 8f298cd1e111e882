package dev.weir.core.reduce.round;

import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.builder.SearchSourceBuilder;

/** The shard requests that nodes echo in their query results, kept as bytes for the fetch phase. */
final class EchoedShardRequests {
  private final @Nullable BytesReference[] byShard;
  private final boolean isRetained;
  private final boolean isRedundantAfterFetch;

  EchoedShardRequests(SearchRequest request, int shards) {
    this.byShard = new BytesReference[shards];
    this.isRedundantAfterFetch = isRedundantAfterFetch(request);
    SearchSourceBuilder source = request.source();
    this.isRetained =
        shards > 1
            && isRedundantAfterFetch
            && (source == null || source.pointInTimeBuilder() == null);
  }

  /** Returns whether the query results of this search are read without the echoed request. */
  boolean isRetained() {
    return isRetained;
  }

  /** Returns whether the echoed request of a shard that already fetched its documents is unused. */
  boolean isRedundantAfterFetch() {
    return isRedundantAfterFetch;
  }

  void put(int shard, @Nullable BytesReference echo) {
    byShard[shard] = echo;
  }

  @Nullable BytesReference get(int shard) {
    return byShard[shard];
  }

  /**
   * Excludes scrolls and points in time, which keep their own request, and profiles, which read
   * times from the echoed request.
   */
  private static boolean isRedundantAfterFetch(SearchRequest request) {
    SearchSourceBuilder source = request.source();
    return request.scroll() == null
        && request.searchType() == SearchType.QUERY_THEN_FETCH
        && (source == null
            || (!source.profile() && (source.rescores() == null || source.rescores().isEmpty())));
  }
}
