package dev.weir.core.reduce.hits;

import dev.weir.core.reduce.json.PlainJsonWriter;
import org.apache.lucene.util.BytesRef;

/**
 * The hits of a page that have only what most have, a place, a score, a JSON document and what they
 * are sorted by, in characters that JSON needs no escape for. Written as {@code SearchHit} writes
 * them ({@link PlainHitWriter}). Immutable.
 */
public abstract class PlainHits {
  /** How many there are. */
  public abstract int count();

  public abstract String index(int i);

  public abstract int idLength(int i);

  public abstract void writeId(int i, PlainJsonWriter json);

  /** NaN for none. */
  public abstract float score(int i);

  /** Says where the document lies; whether there is one. */
  public abstract boolean locateSource(int i, BytesRef at);

  /** Its length; 0 for none. */
  public abstract int sourceLength(int i);

  /** Null, numbers without a fraction, and texts. */
  public abstract Object[] sortValues(int i);

  /** Whether values that hits are sorted by can be written plainly. */
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
