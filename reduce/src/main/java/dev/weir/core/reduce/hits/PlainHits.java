package dev.weir.core.reduce.hits;

import dev.weir.model.HitView;
import dev.weir.model.JsonBuffer;
import org.apache.lucene.util.BytesRef;

/**
 * The hits of a page that {@link PlainHitWriter} can write byte for byte as {@code SearchHit} does:
 * {@link FrameHitPage} in the replies of data nodes, {@link MaterializedHits} as OpenSearch's
 * objects. Immutable.
 */
public abstract class PlainHits implements HitView {
  /** Points to a hit's document; returns false without one. */
  public abstract boolean locateSource(int i, BytesRef at);

  /** Returns true if sort values can be written without escapes. */
  static boolean arePlainSortValues(Object[] values) {
    for (Object value : values) {
      boolean plain =
          value == null
              || value instanceof Long
              || value instanceof Integer
              || (value instanceof String text && JsonBuffer.isPlain(text));
      if (!plain) {
        return false;
      }
    }
    return true;
  }
}
