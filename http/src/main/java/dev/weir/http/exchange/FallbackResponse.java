package dev.weir.http.exchange;

import dev.weir.model.BufferedResponse;
import org.jspecify.annotations.Nullable;

/**
 * What a place answered whose nodes are gone, kept while another one is asked: that one may know
 * even less. Its owner releases it once. Confined to an event loop.
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

  /** It is the caller's; null for none. */
  @Nullable BufferedResponse take() {
    BufferedResponse taken = heldReply;
    heldReply = null;
    return taken;
  }

  /** That of the second place, unless it knows even less; the other one is released. */
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
