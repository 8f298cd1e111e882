package dev.weir.core.reduce;

import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.builder.SearchSourceBuilder;

/** The shard requests that nodes echoed with their answers, kept as bytes for the fetch phase. */
final class Echoes {
  private final @Nullable BytesReference[] byShard;
  private final boolean kept;
  private final boolean plain;

  Echoes(SearchRequest request, int shards) {
    this.byShard = new BytesReference[shards];
    this.plain = plain(request);
    SearchSourceBuilder source = request.source();
    this.kept = shards > 1 && plain && (source == null || source.pointInTimeBuilder() == null);
  }

  /** Whether answers of this search are read without the echoed request. */
  boolean kept() {
    return kept;
  }

  /** Whether nobody reads the echoed request of a shard that has fetched its documents already. */
  boolean plain() {
    return plain;
  }

  void put(int shard, @Nullable BytesReference echo) {
    byShard[shard] = echo;
  }

  @Nullable BytesReference of(int shard) {
    return byShard[shard];
  }

  /**
   * Scrolls and points in time hold their own request; profiles read times out of the echoed one.
   */
  private static boolean plain(SearchRequest request) {
    SearchSourceBuilder source = request.source();
    return request.scroll() == null
        && request.searchType() == SearchType.QUERY_THEN_FETCH
        && (source == null
            || (!source.profile() && (source.rescores() == null || source.rescores().isEmpty())));
  }
}
