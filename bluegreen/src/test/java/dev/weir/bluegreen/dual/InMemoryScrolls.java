package dev.weir.bluegreen.dual;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.ClearScrollResponse;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.common.document.DocumentField;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.internal.InternalSearchResponse;

/**
 * The scroll of an {@link InMemoryCluster}, one at a time: it has the documents of when it was
 * opened, two a page.
 */
final class InMemoryScrolls {
  private final List<SearchHit> hits = new ArrayList<>();
  private Runnable afterPage = () -> {};
  private int openScrolls;
  private int failedShards;

  /** The number of scrolls that were opened and not cleared. */
  int openScrolls() {
    return openScrolls;
  }

  /** Fails a shard of each page from now on. */
  void failingShards() {
    failedShards = 1;
  }

  /** Does something after each page. */
  void afterPage(Runnable action) {
    afterPage = action;
  }

  SearchResponse open(List<SearchHit> found) {
    hits.clear();
    hits.addAll(found);
    openScrolls++;
    return page();
  }

  SearchResponse page() {
    List<SearchHit> page = List.copyOf(hits.subList(0, Math.min(2, hits.size())));
    hits.removeAll(page);
    afterPage.run();
    return response(page.toArray(new SearchHit[0]), 0);
  }

  ClearScrollResponse clear() {
    openScrolls--;
    return new ClearScrollResponse(true, 1);
  }

  /** Returns a response without hits. */
  SearchResponse count(long total) {
    return response(new SearchHit[0], total);
  }

  private SearchResponse response(SearchHit[] page, long total) {
    SearchHits some =
        new SearchHits(page, new TotalHits(total, TotalHits.Relation.EQUAL_TO), Float.NaN);
    return new SearchResponse(
        new InternalSearchResponse(some, null, null, null, false, null, 1),
        "scroll",
        1,
        1 - failedShards,
        0,
        1,
        ShardSearchFailure.EMPTY_ARRAY,
        SearchResponse.Clusters.EMPTY);
  }

  static SearchHit hit(
      String index, String id, long version, ByteBuffer source, @Nullable String routing) {
    SearchHit hit =
        new SearchHit(
            0,
            id,
            Map.of(),
            routing == null
                ? Map.of()
                : Map.of("_routing", new DocumentField("_routing", List.of(routing))));
    hit.version(version);
    hit.sourceRef(BytesReference.fromByteBuffer(source));
    hit.shard(
        new SearchShardTarget(
            "node", new ShardId(new Index(index, "uuid"), 0), null, OriginalIndices.NONE));
    return hit;
  }
}
