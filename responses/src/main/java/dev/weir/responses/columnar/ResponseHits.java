package dev.weir.responses.columnar;

import dev.weir.model.LazySearchResponse;
import dev.weir.model.ZeroCopyHits;
import dev.weir.responses.columnar.table.Row;
import java.io.IOException;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.search.SearchHit;

/** The hits of an answer, as objects or where they lie. Used by one thread. */
public sealed interface ResponseHits {
  /** How many there are. */
  int count();

  /** The name of a hit's index. */
  String index(int i);

  /** A hit's row, which is another one's at the next call. */
  Row readRow(int i, HitRowReader reader) throws IOException;

  /** Writes a hit as a line of JSON. */
  void writeLine(int i, NdjsonHitStream lines) throws IOException;

  /** How long a hit's document is; 0 where it has none. */
  int sourceLength(int i);

  /** What a hit is sorted by, as it is shown. */
  Object[] sortValues(int i);

  /** Those of an answer; objects are made of them only where it takes that to read them. */
  static ResponseHits from(SearchResponse answer) {
    ZeroCopyHits hits = answer instanceof LazySearchResponse unread ? unread.zeroCopyHits() : null;
    return hits == null ? new HitObjects(answer.getHits().getHits()) : new InPlaceHits(hits);
  }

  /** Hits as objects. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record HitObjects(SearchHit[] hits) implements ResponseHits {
    @Override
    public int count() {
      return hits.length;
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
  }

  /** Hits that lie in nodes' answers. */
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
  }
}
