package dev.weir.responses.export;

import dev.weir.responses.columnar.TableStreams;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.search.builder.PointInTimeBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.sort.FieldSortBuilder;
import org.opensearch.search.sort.ShardDocSortBuilder;
import org.opensearch.search.sort.SortOrder;

/** Makes the searches that an export is made of. Used by one thread. */
final class Searches {
  private static final String INDEX = "_index";

  private final PointInTime pit;
  private final TimeValue keepAlive;
  private final SearchRequest like;
  private final SearchSourceBuilder source;
  private final long startMillis;

  /**
   * Makes them.
   *
   * @param startMillis what {@code now} means in all of them
   */
  Searches(ExportAsk ask, PointInTime pit, long startMillis) {
    this.pit = pit;
    this.keepAlive = ask.keepAlive();
    this.startMillis = startMillis;
    this.source = ask.search().source().shallowCopy();
    source.trackTotalHits(false);
    if (!ask.order()) {
      sortByDocument();
    } else {
      breakTies();
    }
    TableStreams.prepare(ask.form(), source);
    this.like = new SearchRequest();
    like.allowPartialSearchResults(false);
    like.setCcsMinimizeRoundtrips(false);
  }

  private void sortByDocument() {
    if (source.sorts() != null) {
      source.sorts().clear();
    }
    source.sort(FieldSortBuilder.DOC_FIELD_NAME, SortOrder.ASC);
  }

  /** No two rows are sorted alike: {@code _shard_doc} tells them apart within one index. */
  private void breakTies() {
    if (pit.indices().size() > 1) {
      source.sort(INDEX, SortOrder.ASC);
    }
    if (source.sorts().stream().noneMatch(ShardDocSortBuilder.class::isInstance)) {
      source.sort(new ShardDocSortBuilder());
    }
  }

  /** How many values a position in the order of rows has. */
  int sorted() {
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
  SearchRequest page(Slice slice, int rows) {
    SearchSourceBuilder page = source.shallowCopy();
    page.size(rows);
    Object[] after = slice.position().after();
    if (after != null) {
      page.searchAfter(after);
    }
    return of(page, slice.shard());
  }

  /** Whether {@link #last} finds what the pages find: not with fields of the search's own. */
  boolean measurable() {
    return source.getDerivedFieldsObject() == null && source.getDerivedFields() == null;
  }

  /** The last document of a shard that matches. */
  SearchRequest last(int shard) {
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
    return of(bare, shard);
  }

  private SearchRequest of(SearchSourceBuilder what, int shard) {
    what.pointInTimeBuilder(new PointInTimeBuilder(pit.of(shard)).setKeepAlive(keepAlive));
    SearchRequest search = SearchInternals.begunAt(like, startMillis);
    search.source(what);
    return search;
  }

  /** A search for nothing, because of which the point in time is kept for its whole time again. */
  static SearchRequest touch(String pit, TimeValue keepAlive) {
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
