package dev.weir.responses.columnar;

import dev.weir.model.JsonBuffer;
import dev.weir.model.ZeroCopyHits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.SearchHit;

/** Hits whose ids and documents lie in arrays, with other bytes around them. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HitsInArrays(SearchHit[] hits) implements ZeroCopyHits {
  @Override
  public int count() {
    return hits.length;
  }

  @Override
  public String index(int i) {
    return hits[i].getIndex();
  }

  @Override
  public float score(int i) {
    return hits[i].getScore();
  }

  @Override
  public void writeId(int i, JsonBuffer json) {
    json.writeAscii(hits[i].getId());
  }

  @Override
  public byte[] bytes(int i) {
    byte[] id = hits[i].getId().getBytes(StandardCharsets.US_ASCII);
    byte[] source =
        hits[i].hasSource() ? BytesReference.toBytes(hits[i].getSourceRef()) : new byte[0];
    return ByteBuffer.allocate(3 + id.length + source.length)
        .put((byte) 7)
        .put(id)
        .put((byte) 7)
        .put(source)
        .put((byte) 7)
        .array();
  }

  @Override
  public int idOffset(int i) {
    return 1;
  }

  @Override
  public int idLength(int i) {
    return hits[i].getId().length();
  }

  @Override
  public int sourceOffset(int i) {
    return 2 + idLength(i);
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
