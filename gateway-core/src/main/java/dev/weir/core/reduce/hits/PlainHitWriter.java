package dev.weir.core.reduce.hits;

import static dev.weir.core.reduce.json.PlainJsonWriter.toAscii;

import dev.weir.core.reduce.json.PlainJsonWriter;
import org.apache.lucene.util.BytesRef;

/**
 * Writes the JSON text around the documents of plain hits, byte for byte as {@code SearchHit} does.
 * Used by one thread.
 */
public final class PlainHitWriter implements HitJsonWriter {
  private static final byte[] INDEX = toAscii("{\"_index\":\"");
  private static final byte[] ID = toAscii("\",\"_id\":\"");
  private static final byte[] SCORE = toAscii("\",\"_score\":");
  private static final byte[] SOURCE = toAscii(",\"_source\":");
  private static final byte[] SORT = toAscii("\"sort\":[");
  private static final byte[] NULL = toAscii("null");
  private static final int FIXED_LENGTH = INDEX.length + ID.length + SCORE.length + 1;

  private final PlainHits hits;
  private final PlainJsonWriter json = new PlainJsonWriter(256);
  private int lastScoreBits = Float.floatToRawIntBits(Float.NaN);
  private byte[] lastScore = NULL;

  public PlainHitWriter(PlainHits hits) {
    this.hits = hits;
  }

  @Override
  public int count() {
    return hits.count();
  }

  @Override
  public PlainJsonWriter writer() {
    return json;
  }

  @Override
  public void writePrefix(int i) {
    if (i > 0) {
      json.put(',');
    }
    json.put(INDEX);
    json.putPlain(hits.index(i));
    json.put(ID);
    hits.writeId(i, json);
    json.put(SCORE);
    json.put(scoreBytes(hits.score(i)));
    if (hits.sourceLength(i) > 0) {
      json.put(SOURCE);
    }
  }

  @Override
  public boolean locateDocument(int i, BytesRef at) {
    return hits.locateSource(i, at);
  }

  @Override
  public void writeSuffix(int i) {
    Object[] values = hits.sortValues(i);
    if (values.length > 0) {
      json.put(',');
      writeSortValues(values);
    }
    json.put('}');
  }

  @Override
  public long hitLength(int i) {
    int sourceLength = hits.sourceLength(i);
    int length =
        FIXED_LENGTH
            + (i > 0 ? 1 : 0)
            + hits.index(i).length()
            + hits.idLength(i)
            + scoreBytes(hits.score(i)).length
            + (sourceLength > 0 ? SOURCE.length : 0);
    Object[] values = hits.sortValues(i);
    if (values.length > 0) {
      int from = json.length();
      writeSortValues(values);
      length += 1 + json.length() - from;
      json.truncate(from);
    }
    return (long) length + sourceLength;
  }

  /** Writes the sort values; there is at least one. */
  public void writeSortValues(Object[] values) {
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

  /** Caches the last score's text, because the hits of a page often have the same score. */
  public byte[] scoreBytes(float score) {
    int bits = Float.floatToRawIntBits(score);
    if (bits != lastScoreBits) {
      lastScoreBits = bits;
      lastScore = Float.isNaN(score) ? NULL : toAscii(PlainHits.formatScore(score));
    }
    return lastScore;
  }
}
