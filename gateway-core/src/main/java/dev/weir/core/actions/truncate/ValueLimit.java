package dev.weir.core.actions.truncate;

import org.apache.lucene.index.IndexWriter;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the values of one or several keyword fields.
 *
 * @param ignoreAbove a value of more UTF-16 units is not indexed, and does no harm
 * @param maxBytes the UTF-8 bytes that remain of a value that is too long
 */
record ValueLimit(int ignoreAbove, int maxBytes) {
  /** The longest term that an index takes, in bytes of UTF-8. */
  static final int MAX_TERM_BYTES = IndexWriter.MAX_TERM_LENGTH;

  /** Returns whether a value makes its document fail. */
  boolean isExceeded(int bytes, int units) {
    return bytes > MAX_TERM_BYTES && units <= ignoreAbove;
  }

  /** Returns the limit of a value that both fields get; null for two fields without. */
  static @Nullable ValueLimit merge(@Nullable ValueLimit one, @Nullable ValueLimit other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return new ValueLimit(
        Math.max(one.ignoreAbove, other.ignoreAbove), Math.min(one.maxBytes, other.maxBytes));
  }
}
