package dev.weir.http;

import dev.weir.model.HttpReply;
import org.jspecify.annotations.Nullable;

/**
 * What a place answered whose nodes are gone, kept while another one is asked: that one may know
 * even less. Released once by whoever has it. Confined to an event loop.
 */
final class FirstAnswer {
  private static final int FIRST_ERROR = 400;

  private @Nullable HttpReply kept;

  boolean there() {
    return kept != null;
  }

  void keep(HttpReply reply) {
    kept = reply;
  }

  /** It is the caller's; null for none. */
  @Nullable HttpReply take() {
    HttpReply taken = kept;
    kept = null;
    return taken;
  }

  /** That of the second place, unless it knows even less; the other one is released. */
  HttpReply orBetter(HttpReply reply) {
    HttpReply first = reply.status() < FIRST_ERROR ? null : take();
    release();
    if (first == null) {
      return reply;
    }
    reply.onReleased().run();
    return first;
  }

  void release() {
    HttpReply first = take();
    if (first != null) {
      first.onReleased().run();
    }
  }
}
