package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * How the gateway processes a large body in sections while it arrives, instead of buffering it
 * first. Immutable; safe on any thread.
 */
public interface BodyStreamingOptions {
  /**
   * Returns whether a body of this type can be cut into sections.
   *
   * @param contentType null if the request has none
   */
  boolean canSplit(@Nullable String contentType);

  /** Returns the length in bytes from which a body is processed in sections. */
  long thresholdBytes();

  /**
   * Returns how many bytes to buffer before processing starts.
   *
   * @param announced the value of {@code Content-Length}; negative if unknown
   */
  default long initialBufferBytes(long announced) {
    return announced > thresholdBytes() ? sectionBytes() : thresholdBytes();
  }

  /** Returns the size of a section in bytes; a larger item makes a larger section. */
  int sectionBytes();

  /** Returns how many bytes of sections may be in memory at once. */
  long maxBufferedBytes();

  /** Creates a splitter for one body. */
  BodySectionSplitter newSplitter();
}
