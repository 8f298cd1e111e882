package dev.weir.http.exchange;

import dev.weir.model.BufferedResponse;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the response of a cluster that lost nodes while another cluster is asked; it is sent if the
 * other cluster's response is an error. Its owner releases it once. Confined to an event loop.
 */
final class FallbackResponse {
  private static final int MIN_ERROR_STATUS = 400;

  private @Nullable BufferedResponse heldReply;

  boolean isPresent() {
    return heldReply != null;
  }

  void keep(BufferedResponse reply) {
    heldReply = reply;
  }

  /** Takes the kept response, which the caller owns from now on; null for none. */
  @Nullable BufferedResponse take() {
    BufferedResponse taken = heldReply;
    heldReply = null;
    return taken;
  }

  /**
   * Returns the other cluster's response, or the kept one if the other is an error; releases the
   * one that is not returned.
   */
  BufferedResponse chooseBetter(BufferedResponse reply) {
    BufferedResponse first = reply.status() < MIN_ERROR_STATUS ? null : take();
    release();
    if (first == null) {
      return reply;
    }
    reply.onReleased().run();
    return first;
  }

  void release() {
    BufferedResponse first = take();
    if (first != null) {
      first.onReleased().run();
    }
  }
}
