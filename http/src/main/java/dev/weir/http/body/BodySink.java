package dev.weir.http.body;

import io.netty.buffer.ByteBuf;

/** Receives the body of one request in chunks. Confined to the request's event loop. */
public interface BodySink {

  /** Receives a chunk; the caller releases it. */
  void acceptContent(ByteBuf piece);

  /** Called after the last chunk. */
  void complete();

  /**
   * Called when the codec can't decode the rest of the body; no more chunks follow.
   *
   * @return whether the handler of the earlier chunks responds to the request all the same
   */
  default boolean fail(Throwable cause) {
    return false;
  }

  /** Reads and drops the rest of a body that the response does not depend on. */
  BodySink DISCARD =
      new BodySink() {
        @Override
        public void acceptContent(ByteBuf piece) {}

        @Override
        public void complete() {}
      };
}
