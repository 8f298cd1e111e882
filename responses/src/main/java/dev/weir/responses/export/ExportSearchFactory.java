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

/** Makes the searches that an export is made of. Used by one thread. */
final class ExportSearchFactory {
  private static final String INDEX = "_index";

  private final PointInTime pit;
  private final TimeValue keepAlive;
  private final SearchRequest template;
  private final SearchSourceBuilder source;
  private final long startMillis;

  /**
   * Makes them.
   *
   * @param startMillis what {@code now} means in all of them
   */
  ExportSearchFactory(ExportSpec ask, PointInTime pit, long startMillis) {
    this.pit = pit;
    this.keepAlive = ask.keepAlive();
    this.startMillis = startMillis;
    this.source = ask.search().source().shallowCopy();
    source.trackTotalHits(false);
    if (!ask.isOrdered()) {
      sortByDoc();
    } else {
      addTieBreaker();
    }
    TableStreamFactory.prepare(ask.format(), source);
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

  /** No two rows are sorted alike: {@code _shard_doc} tells them apart within one index. */
  private void addTieBreaker() {
    if (pit.indices().size() > 1) {
      source.sort(INDEX, SortOrder.ASC);
    }
    if (source.sorts().stream().noneMatch(ShardDocSortBuilder.class::isInstance)) {
      source.sort(new ShardDocSortBuilder());
    }
  }

  /** How many values a position in the order of rows has. */
  int sortValueCount() {
    return source.sorts().size();
  }

  /** What nodes are asked. */
  SearchSourceBuilder source() {
    return source;
  }

  long startMillis() {
    return startMillis;
  }

  /** The next page of a slice. */
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
   * Whether {@link #lastDocSearch} finds what the pages find: not with fields of the search's own.
   */
  boolean canMeasure() {
    return source.getDerivedFieldsObject() == null && source.getDerivedFields() == null;
  }

  /** The last document of a shard that matches. */
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
    return createSearch(bare, shard);
  }

  private SearchRequest createSearch(SearchSourceBuilder what, int shard) {
    what.pointInTimeBuilder(new PointInTimeBuilder(pit.sliceId(shard)).setKeepAlive(keepAlive));
    SearchRequest search = SearchInternals.withStartTime(template, startMillis);
    search.source(what);
    return search;
  }

  /** A search for nothing, because of which the point in time is kept for its whole time again. */
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
