package dev.weir.model;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a body too long to be buffered may pass through to a node. Called on event loops.
 */
@FunctionalInterface
public interface LargeBodyCheck {
  /**
   * Returns why the body must not pass through; null when it may.
   *
   * @param contentType the request's header; null for none
   * @param beginning the first decoded bytes of the body, borrowed
   * @param bytes the most bytes that the decoded body may have
   */
  @Nullable MemoryRejection check(@Nullable String contentType, ByteBuffer beginning, long bytes);
}
