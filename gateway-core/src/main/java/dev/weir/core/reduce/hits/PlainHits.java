package dev.weir.core.reduce.hits;

import dev.weir.core.reduce.json.PlainJsonWriter;
import org.apache.lucene.util.BytesRef;

/**
 * A page of hits that have only the common parts (shard, id, score, JSON document, sort values), in
 * characters that need no escape in JSON. {@link PlainHitWriter} writes them as {@code SearchHit}
 * does. Immutable.
 */
public abstract class PlainHits {
  /** Returns the number of hits. */
  public abstract int count();

  public abstract String index(int i);

  public abstract int idLength(int i);

  public abstract void writeId(int i, PlainJsonWriter json);

  /** Returns the score, or NaN without one. */
  public abstract float score(int i);

  /** Sets {@code at} to the document's bytes. Returns false if the hit has no document. */
  public abstract boolean locateSource(int i, BytesRef at);

  /** Returns the document's length in bytes, 0 without one. */
  public abstract int sourceLength(int i);

  /** Returns the sort values: null, numbers without a fraction, and text. */
  public abstract Object[] sortValues(int i);

  /** Returns whether sort values can be written without OpenSearch's classes. */
  static boolean arePlainSortValues(Object[] values) {
    for (Object value : values) {
      boolean plain =
          value == null
              || value instanceof Long
              || value instanceof Integer
              || (value instanceof String text && PlainJsonWriter.isPlain(text));
      if (!plain) {
        return false;
      }
    }
    return true;
  }

  public static String formatScore(float score) {
    return Float.isNaN(score) ? "null" : Float.toString(score);
  }
}
