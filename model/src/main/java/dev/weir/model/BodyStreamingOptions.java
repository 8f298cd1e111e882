package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * How a large body is worked on while it comes, instead of being gathered first. Immutable; safe on
 * any thread.
 */
public interface BodyStreamingOptions {
  /** Whether a body of this type can be cut; null where the request does not say its type. */
  boolean canSplit(@Nullable String contentType);

  /** Bodies longer than this are worked on while they come, bytes. */
  long thresholdBytes();

  /**
   * Bytes that are gathered before it is worked on.
   *
   * @param announced its length as the client says; negative when unknown
   */
  default long initialBufferBytes(long announced) {
    return announced > thresholdBytes() ? sectionBytes() : thresholdBytes();
  }

  /** Bytes of a section, unless an item is longer. */
  int sectionBytes();

  /** Bytes of sections that may be held at once. */
  long maxBufferedBytes();

  /** Finds where one body's items end. */
  BodySectionSplitter newSplitter();
}
