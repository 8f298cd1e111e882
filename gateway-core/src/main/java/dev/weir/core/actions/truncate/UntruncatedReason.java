package dev.weir.core.actions.truncate;

import java.util.Locale;

/** Why the gateway left a value alone that is longer than an index accepts. */
public enum UntruncatedReason {
  /**
   * The value belongs to other fields too: only a subfield of its field, or a field to which it is
   * copied, is a keyword, and the policy does not truncate shared values.
   */
  SHARED,
  /** The value lies in a {@code flat_object}. */
  FLAT_OBJECT,
  /** The value lies in a new object, whose mapping a dynamic template determines. */
  OBJECT_TEMPLATE,
  /** The document can't be read; a node may read it differently. */
  UNREADABLE;

  /** Returns the label of metrics. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
