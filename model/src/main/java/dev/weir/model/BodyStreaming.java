package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * How a large body is worked on while it comes, instead of being gathered first. Immutable; safe on
 * any thread.
 */
public interface BodyStreaming {
  /** Whether a body of this type can be cut; null where the request does not say its type. */
  boolean cuts(@Nullable String contentType);

  /** Bodies longer than this are worked on while they come, bytes. */
  long over();

  /**
   * Bytes that are gathered before it is worked on.
   *
   * @param announced its length as the client says; negative when unknown
   */
  default long gathered(long announced) {
    return announced > over() ? sectionBytes() : over();
  }

  /** Bytes of a section, unless an item is longer. */
  int sectionBytes();

  /** Bytes of sections that may be held at once. */
  long windowBytes();

  /** Finds where one body's items end. */
  BodyCutter cutter();
}
