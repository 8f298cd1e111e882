package dev.weir.core.reduce.hits;

import static dev.weir.model.JsonBuffer.toAscii;

import dev.weir.model.JsonBuffer;
import java.util.Arrays;
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
  private static final int FIXED_LENGTH = INDEX.length + ID.length + SCORE.length + 1;

  /** The scores that are kept as JSON, because a hit's text is measured before it is written. */
  private static final int MAX_KEPT_SCORES = 128;

  private static final byte[] NOT_KEPT = {};

  private final PlainHits hits;
  private final JsonBuffer json = new JsonBuffer(256);
  private final ScoreJsonCache scores = new ScoreJsonCache();
  private final byte[][] keptScores;

  public PlainHitWriter(PlainHits hits) {
    this.hits = hits;
    this.keptScores = new byte[Math.min(hits.count(), MAX_KEPT_SCORES)][];
    Arrays.fill(keptScores, NOT_KEPT);
  }

  @Override
  public int count() {
    return hits.count();
  }

  @Override
  public JsonBuffer writer() {
    return json;
  }

  @Override
  public void writePrefix(int i) {
    if (i > 0) {
      json.write(',');
    }
    json.write(INDEX);
    json.writeAscii(hits.index(i));
    json.write(ID);
    hits.writeId(i, json);
    json.write(SCORE);
    json.write(scoreBytes(i));
    if (hits.sourceLength(i) > 0) {
      json.write(SOURCE);
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
      json.write(',');
      writeSortValues(values);
    }
    json.write('}');
  }

  @Override
  public long hitLength(int i) {
    int sourceLength = hits.sourceLength(i);
    int length =
        FIXED_LENGTH
            + (i > 0 ? 1 : 0)
            + hits.index(i).length()
            + hits.idLength(i)
            + scoreBytes(i).length
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
    json.write(SORT);
    for (int i = 0; i < values.length; i++) {
      if (i > 0) {
        json.write(',');
      }
      if (values[i] instanceof String text) {
        json.write('"');
        json.writeAscii(text);
        json.write('"');
      } else {
        json.writeAscii(String.valueOf(values[i]));
      }
    }
    json.write(']');
  }

  /** Returns a hit's score as JSON. */
  public byte[] scoreBytes(int i) {
    if (i >= keptScores.length) {
      return scores.jsonOf(hits.score(i));
    }
    if (keptScores[i].length == 0) {
      keptScores[i] = scores.jsonOf(hits.score(i));
    }
    return keptScores[i];
  }
}
