package dev.weir.responses.columnar;

import dev.weir.core.reduce.columns.ColumnPage;
import dev.weir.core.reduce.response.SplicedSearchResponse;
import dev.weir.model.LazySearchResponse;
import dev.weir.model.ZeroCopyHits;
import dev.weir.responses.columnar.table.Row;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.search.SearchHit;

/** The hits of a response, as objects or in place in the shard responses. Used by one thread. */
public sealed interface ResponseHits {
  int count();

  /** Returns the index name of a hit. */
  String index(int i);

  /** Reads a hit. The row is reused by the next call. */
  Row readRow(int i, HitRowReader reader) throws IOException;

  /** Writes a hit as a JSON line. */
  void writeLine(int i, NdjsonHitStream lines) throws IOException;

  /** Returns the length of a hit's source in bytes; 0 without a source. */
  int sourceLength(int i);

  /** Returns a hit's sort values in their response format. */
  Object[] sortValues(int i);

  /** Returns whether a hit has a score. */
  boolean hasScore(int i);

  /** Returns the names of the values that a hit has beside its document. */
  default Collection<String> fieldNames(int i) {
    return List.of();
  }

  /** Returns whether the hits are no objects yet. */
  default boolean isUnread() {
    return true;
  }

  /** Returns the hits of a response; it creates objects only if they cannot be read in place. */
  static ResponseHits from(SearchResponse answer) {
    ColumnPage columns = answer instanceof SplicedSearchResponse own ? own.columns() : null;
    if (columns != null) {
      return new ColumnRows(columns);
    }
    ZeroCopyHits hits = answer instanceof LazySearchResponse unread ? unread.zeroCopyHits() : null;
    return hits == null ? new HitObjects(answer.getHits().getHits()) : new InPlaceHits(hits);
  }

  /** Hits as OpenSearch objects. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record HitObjects(SearchHit[] hits) implements ResponseHits {
    @Override
    public int count() {
      return hits.length;
    }

    @Override
    public boolean isUnread() {
      return false;
    }

    @Override
    public String index(int i) {
      return hits[i].getIndex();
    }

    @Override
    public Row readRow(int i, HitRowReader reader) throws IOException {
      return reader.readRow(hits[i]);
    }

    @Override
    public void writeLine(int i, NdjsonHitStream lines) throws IOException {
      lines.writeHit(hits[i]);
    }

    @Override
    public int sourceLength(int i) {
      return hits[i].hasSource() ? hits[i].getSourceRef().length() : 0;
    }

    @Override
    public Object[] sortValues(int i) {
      return hits[i].getSortValues();
    }

    @Override
    public boolean hasScore(int i) {
      return !Float.isNaN(hits[i].getScore());
    }

    @Override
    public Collection<String> fieldNames(int i) {
      return hits[i].getDocumentFields().keySet();
    }
  }

  /** Hits as columns of doc values; only responses of one page have them, never exports. */
  record ColumnRows(ColumnPage page) implements ResponseHits {
    @Override
    public int count() {
      return page.count();
    }

    @Override
    public String index(int i) {
      return page.index(i);
    }

    @Override
    public Row readRow(int i, HitRowReader reader) throws IOException {
      return reader.readRow(page, i);
    }

    @Override
    public void writeLine(int i, NdjsonHitStream lines) {
      throw new IllegalStateException("got columns for lines (expected: hits)");
    }

    @Override
    public int sourceLength(int i) {
      return 0;
    }

    @Override
    public Object[] sortValues(int i) {
      return page.sortValues(i);
    }

    @Override
    public boolean hasScore(int i) {
      return !Float.isNaN(page.score(i));
    }
  }

  /** Hits in place in the shard responses. */
  record InPlaceHits(ZeroCopyHits hits) implements ResponseHits {
    @Override
    public int count() {
      return hits.count();
    }

    @Override
    public String index(int i) {
      return hits.index(i);
    }

    @Override
    public Row readRow(int i, HitRowReader reader) throws IOException {
      return reader.readRow(hits, i);
    }

    @Override
    public void writeLine(int i, NdjsonHitStream lines) throws IOException {
      lines.writeHit(hits, i);
    }

    @Override
    public int sourceLength(int i) {
      return hits.sourceLength(i);
    }

    @Override
    public Object[] sortValues(int i) {
      return hits.sortValues(i);
    }

    @Override
    public boolean hasScore(int i) {
      return !Float.isNaN(hits.score(i));
    }
  }
}
