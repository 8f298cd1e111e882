package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Row;
import dev.weir.model.HitsInPlace;
import dev.weir.model.UnreadAnswer;
import java.io.IOException;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.search.SearchHit;

/** The hits of an answer, as objects or where they lie. Used by one thread. */
public sealed interface FoundHits {
  /** How many there are. */
  int count();

  /** The name of a hit's index. */
  String index(int i);

  /** A hit's row, which is another one's at the next call. */
  Row read(int i, HitReader reader) throws IOException;

  /** Writes a hit as a line of JSON. */
  void write(int i, HitLines lines) throws IOException;

  /** How long a hit's document is; 0 where it has none. */
  int sourceLength(int i);

  /** What a hit is sorted by, as it is shown. */
  Object[] sortValues(int i);

  /** Those of an answer; objects are made of them only where it takes that to read them. */
  static FoundHits of(SearchResponse answer) {
    HitsInPlace hits = answer instanceof UnreadAnswer unread ? unread.hitsInPlace() : null;
    return hits == null ? new Objects(answer.getHits().getHits()) : new InPlace(hits);
  }

  /** Hits as objects. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Objects(SearchHit[] hits) implements FoundHits {
    @Override
    public int count() {
      return hits.length;
    }

    @Override
    public String index(int i) {
      return hits[i].getIndex();
    }

    @Override
    public Row read(int i, HitReader reader) throws IOException {
      return reader.read(hits[i]);
    }

    @Override
    public void write(int i, HitLines lines) throws IOException {
      lines.hit(hits[i]);
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
  record InPlace(HitsInPlace hits) implements FoundHits {
    @Override
    public int count() {
      return hits.count();
    }

    @Override
    public String index(int i) {
      return hits.index(i);
    }

    @Override
    public Row read(int i, HitReader reader) throws IOException {
      return reader.read(hits, i);
    }

    @Override
    public void write(int i, HitLines lines) throws IOException {
      lines.hit(hits, i);
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
