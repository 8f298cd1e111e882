package dev.weir.core.actions.truncate;

import org.jspecify.annotations.Nullable;

/**
 * The limits of the values of one path.
 *
 * @param own that of the field itself; null if its type takes values of any length
 * @param all that of the field, its subfields and the fields to which it is copied
 * @param reason why a value is left alone that exceeds only {@code all}
 */
record TruncatedField(@Nullable ValueLimit own, ValueLimit all, UntruncatedReason reason) {
  /** A value that the gateway never truncates. */
  static TruncatedField untouched(UntruncatedReason reason) {
    return new TruncatedField(
        null, new ValueLimit(Integer.MAX_VALUE, ValueLimit.MAX_TERM_BYTES), reason);
  }

  /**
   * Returns the limit to which values are truncated; null if they are not.
   *
   * @param isSharedTruncated whether values that other fields share are truncated
   */
  @Nullable ValueLimit limit(boolean isSharedTruncated) {
    return isSharedTruncated && reason == UntruncatedReason.SHARED ? all : own;
  }
}
