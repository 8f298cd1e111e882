package dev.weir.responses.export;

import dev.weir.responses.columnar.TableStreamFactory;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.search.builder.PointInTimeBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.sort.FieldSortBuilder;
import org.opensearch.search.sort.ShardDocSortBuilder;
import org.opensearch.search.sort.SortOrder;

/** Creates the searches of an export. Used by one thread. */
final class ExportSearchFactory {
  private static final String INDEX = "_index";

  private final PointInTime pit;
  private final TimeValue keepAlive;
  private final SearchRequest template;
  private final SearchSourceBuilder source;
  private final long startMillis;

  /**
   * Prepares the searches of one export.
   *
   * @param startMillis the meaning of {@code now} in all of them, in milliseconds since 1970
   */
  ExportSearchFactory(ExportSpec spec, PointInTime pit, long startMillis) {
    this.pit = pit;
    this.keepAlive = spec.keepAlive();
    this.startMillis = startMillis;
    this.source = spec.search().source().shallowCopy();
    source.trackTotalHits(false);
    if (!spec.isOrdered()) {
      sortByDoc();
    } else {
      addTieBreaker();
    }
    TableStreamFactory.prepare(spec.format(), source);
    this.template = new SearchRequest();
    template.allowPartialSearchResults(false);
    template.setCcsMinimizeRoundtrips(false);
  }

  private void sortByDoc() {
    if (source.sorts() != null) {
      source.sorts().clear();
    }
    source.sort(FieldSortBuilder.DOC_FIELD_NAME, SortOrder.ASC);
  }

  /** Makes the order total: {@code _shard_doc} is unique only within one index. */
  private void addTieBreaker() {
    if (pit.indices().size() > 1) {
      source.sort(INDEX, SortOrder.ASC);
    }
    if (source.sorts().stream().noneMatch(ShardDocSortBuilder.class::isInstance)) {
      source.sort(new ShardDocSortBuilder());
    }
  }

  /** Returns the number of sort values of a row. */
  int sortValueCount() {
    return source.sorts().size();
  }

  /** Returns the search source that the gateway sends to nodes. */
  SearchSourceBuilder source() {
    return source;
  }

  long startMillis() {
    return startMillis;
  }

  SearchRequest pageSearch(ExportSlice slice, int rows) {
    SearchSourceBuilder page = source.shallowCopy();
    page.size(rows);
    Object[] after = slice.position().searchAfter();
    if (after != null) {
      page.searchAfter(after);
    }
    return createSearch(page, slice.shard());
  }

  /**
   * Returns true if {@link #lastDocSearch} matches what the pages match; derived fields of the
   * search prevent that.
   */
  boolean canMeasure() {
    return source.getDerivedFieldsObject() == null && source.getDerivedFields() == null;
  }

  /** Creates a search for the last matching document of a shard. */
  SearchRequest lastDocSearch(int shard) {
    SearchSourceBuilder bare =
        new SearchSourceBuilder()
            .query(source.query())
            .size(1)
            .fetchSource(false)
            .trackTotalHits(false)
            .sort(FieldSortBuilder.DOC_FIELD_NAME, SortOrder.DESC);
    if (source.postFilter() != null) {
      bare.postFilter(source.postFilter());
    }
    if (source.minScore() != null) {
      bare.minScore(source.minScore());
    }
    for (SearchSourceBuilder.IndexBoost boost : source.indexBoosts()) {
      bare.indexBoost(boost.getIndex(), boost.getBoost()); // min_score compares boosted scores
    }
    return createSearch(bare, shard);
  }

  private SearchRequest createSearch(SearchSourceBuilder what, int shard) {
    what.pointInTimeBuilder(new PointInTimeBuilder(pit.sliceId(shard)).setKeepAlive(keepAlive));
    SearchRequest search = SearchInternals.withStartTime(template, startMillis);
    search.source(what);
    return search;
  }

  /** Creates a search without hits; it renews the keep-alive of the point in time. */
  static SearchRequest keepAliveSearch(String pit, TimeValue keepAlive) {
    SearchRequest search = new SearchRequest();
    search.setCcsMinimizeRoundtrips(false);
    search.source(
        new SearchSourceBuilder()
            .size(0)
            .trackTotalHits(false)
            .pointInTimeBuilder(new PointInTimeBuilder(pit).setKeepAlive(keepAlive)));
    return search;
  }
}
