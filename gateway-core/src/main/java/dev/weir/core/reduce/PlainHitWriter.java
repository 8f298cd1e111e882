package dev.weir.core.reduce;

import static dev.weir.core.reduce.json.PlainJson.ascii;

import dev.weir.core.reduce.json.PlainJson;
import org.apache.lucene.util.BytesRef;

/**
 * Writes what stands around the documents of plain hits, byte for byte as {@code SearchHit} does.
 * Used by one thread.
 */
final class PlainHitWriter implements HitText {
  private static final byte[] INDEX = ascii("{\"_index\":\"");
  private static final byte[] ID = ascii("\",\"_id\":\"");
  private static final byte[] SCORE = ascii("\",\"_score\":");
  private static final byte[] SOURCE = ascii(",\"_source\":");
  private static final byte[] SORT = ascii("\"sort\":[");
  private static final byte[] NULL = ascii("null");
  private static final int FIXED = INDEX.length + ID.length + SCORE.length + 1;

  private final PlainHits hits;
  private final PlainJson json = new PlainJson(256);
  private int lastScoreBits = Float.floatToRawIntBits(Float.NaN);
  private byte[] lastScore = NULL;

  PlainHitWriter(PlainHits hits) {
    this.hits = hits;
  }

  @Override
  public int count() {
    return hits.count();
  }

  @Override
  public PlainJson json() {
    return json;
  }

  @Override
  public void head(int i) {
    if (i > 0) {
      json.put(',');
    }
    json.put(INDEX);
    json.putPlain(hits.index(i));
    json.put(ID);
    hits.putId(i, json);
    json.put(SCORE);
    json.put(score(hits.score(i)));
    if (hits.sourceLength(i) > 0) {
      json.put(SOURCE);
    }
  }

  @Override
  public boolean document(int i, BytesRef at) {
    return hits.source(i, at);
  }

  @Override
  public void tail(int i) {
    Object[] values = hits.sortValues(i);
    if (values.length > 0) {
      json.put(',');
      sort(values);
    }
    json.put('}');
  }

  @Override
  public long length(int i) {
    int sourceLength = hits.sourceLength(i);
    int length =
        FIXED
            + (i > 0 ? 1 : 0)
            + hits.index(i).length()
            + hits.idLength(i)
            + score(hits.score(i)).length
            + (sourceLength > 0 ? SOURCE.length : 0);
    Object[] values = hits.sortValues(i);
    if (values.length > 0) {
      int from = json.length();
      sort(values);
      length += 1 + json.length() - from;
      json.cut(from);
    }
    return (long) length + sourceLength;
  }

  /** Puts what a hit is sorted by, which is something. */
  void sort(Object[] values) {
    json.put(SORT);
    for (int i = 0; i < values.length; i++) {
      if (i > 0) {
        json.put(',');
      }
      if (values[i] instanceof String text) {
        json.put('"');
        json.putPlain(text);
        json.put('"');
      } else {
        json.putPlain(String.valueOf(values[i]));
      }
    }
    json.put(']');
  }

  /** Pages are often of one score. */
  byte[] score(float score) {
    int bits = Float.floatToRawIntBits(score);
    if (bits != lastScoreBits) {
      lastScoreBits = bits;
      lastScore = Float.isNaN(score) ? NULL : ascii(PlainHits.scoreText(score));
    }
    return lastScore;
  }
}
