package dev.weir.bluegreen.compare;

import dev.weir.bluegreen.dual.ClusterDocumentClient;
import dev.weir.bluegreen.dual.ClusterDocumentClient.DocumentAccessException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ClearScrollAction;
import org.opensearch.action.search.ClearScrollRequest;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchScrollAction;
import org.opensearch.action.search.SearchScrollRequest;
import org.opensearch.common.document.DocumentField;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.index.mapper.RoutingFieldMapper;
import org.opensearch.search.SearchHit;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.pipeline.SearchPipelineService;
import org.opensearch.search.sort.FieldSortBuilder;

/**
 * Reads all documents of an index by a scroll in index order, which needs no field data of ids and
 * no sorting. It sees what a search without a search pipeline sees: the documents at the last
 * refresh before it began. Blocks; used by one thread.
 */
final class IndexScanner {
  /** How long a node keeps the scroll between two pages. */
  private static final TimeValue KEEP_ALIVE = TimeValue.timeValueMinutes(5);

  private final ClusterDocumentClient cluster;
  private final String index;
  private final int pageSize;

  IndexScanner(ClusterDocumentClient cluster, String index, int pageSize) {
    this.cluster = cluster;
    this.index = index;
    this.pageSize = pageSize;
  }

  /** Receives a document. */
  interface FingerprintConsumer {
    void accept(DocumentFingerprint document) throws IOException;
  }

  /** What a hit has, copied from the response. */
  private record Hit(
      String index,
      String id,
      @Nullable String routing,
      long version,
      @Nullable BytesReference source) {}

  private record Page(@Nullable String scrollId, List<Hit> hits) {}

  /** The number of documents. */
  long count() throws DocumentAccessException {
    SearchRequest request = newRequest(new SearchSourceBuilder().size(0).trackTotalHits(true));
    Long count =
        cluster.call(
            SearchAction.INSTANCE,
            request,
            response -> {
              requireWhole(response);
              var total = response.getHits().getTotalHits();
              return total == null ? 0 : total.value();
            });
    return count == null ? 0 : count;
  }

  /** Reads all documents. */
  void scan(FingerprintConsumer consumer)
      throws DocumentAccessException, IOException, InterruptedException {
    SearchRequest first =
        newRequest(
                new SearchSourceBuilder()
                    .size(pageSize)
                    .sort(FieldSortBuilder.DOC_FIELD_NAME)
                    .version(true))
            .scroll(KEEP_ALIVE);
    Page page = cluster.call(SearchAction.INSTANCE, first, IndexScanner::toPage);
    String scrollId = null;
    try {
      while (page != null) {
        scrollId = page.scrollId() == null ? scrollId : page.scrollId();
        for (Hit hit : page.hits()) {
          consumer.accept(
              new DocumentFingerprint(
                  hit.index(),
                  hit.id(),
                  hit.routing(),
                  hit.version(),
                  SourceHash.of(hit.source())));
        }
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        if (page.hits().isEmpty() || scrollId == null) {
          return;
        }
        SearchScrollRequest next = new SearchScrollRequest(scrollId).scroll(KEEP_ALIVE);
        page = cluster.call(SearchScrollAction.INSTANCE, next, IndexScanner::toPage);
      }
    } finally {
      if (scrollId != null) {
        clear(scrollId);
      }
    }
  }

  private SearchRequest newRequest(SearchSourceBuilder source) {
    SearchRequest request = new SearchRequest(index).source(source);
    request.allowPartialSearchResults(false);
    request.setCcsMinimizeRoundtrips(false);
    request.pipeline(SearchPipelineService.NOOP_PIPELINE_ID); // not the index's default
    return request;
  }

  private void clear(String scrollId) {
    ClearScrollRequest request = new ClearScrollRequest();
    request.addScrollId(scrollId);
    try {
      cluster.call(ClearScrollAction.INSTANCE, request, response -> response.isSucceeded());
    } catch (DocumentAccessException e) {
      return; // it ends by itself after the keep-alive
    }
  }

  private static void requireWhole(SearchResponse response) {
    int missing = response.getTotalShards() - response.getSuccessfulShards();
    if (missing > 0 || response.getFailedShards() > 0) {
      throw new IllegalStateException(
          missing
              + " of "
              + response.getTotalShards()
              + " shards failed"
              + (response.getShardFailures().length == 0
                  ? ""
                  : ": " + response.getShardFailures()[0].reason()));
    }
  }

  /** The response's memory is free after this, so the sources are copied. */
  private static Page toPage(SearchResponse response) {
    requireWhole(response);
    List<Hit> hits = new ArrayList<>();
    for (SearchHit hit : response.getHits().getHits()) {
      Map<String, DocumentField> meta = hit.getMetaFields();
      DocumentField routing = meta == null ? null : meta.get(RoutingFieldMapper.NAME);
      Object value = routing == null ? null : routing.getValue();
      hits.add(
          new Hit(
              hit.getIndex(),
              hit.getId(),
              value == null ? null : value.toString(),
              hit.getVersion(),
              hit.hasSource() ? new BytesArray(BytesReference.toBytes(hit.getSourceRef())) : null));
    }
    return new Page(response.getScrollId(), hits);
  }
}
