package dev.weir.http.body;

import io.netty.buffer.ByteBuf;

/** Takes the body of one request, piece by piece. Confined to the request's event loop. */
public interface BodySink {

  /** Takes a piece; borrowed for the call. */
  void acceptContent(ByteBuf piece);

  /** The body is complete. */
  void complete();

  /**
   * The rest of it can't be understood: it will not come.
   *
   * @param why as it was found
   * @return whether who works on what came before answers the request nevertheless
   */
  default boolean fail(Throwable why) {
    return false;
  }

  /** The rest of the body is read and thrown away: the answer does not depend on it. */
  BodySink DISCARD =
      new BodySink() {
        @Override
        public void acceptContent(ByteBuf piece) {}

        @Override
        public void complete() {}
      };
}
