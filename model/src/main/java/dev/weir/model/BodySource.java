package dev.weir.model;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/**
 * Produces a response body while the client reads it. Called on the exchange's event loop. {@link
 * #onClosed} is called once, as the last method, whether or not {@link #onStart} was called.
 */
public interface BodySource {
  /**
   * The response may be written from now on; responses to earlier requests of the connection have
   * been sent.
   */
  void onStart(Sink taker);

  /** The client reads again: {@link Sink#isWritable} is true. */
  void onWritable();

  /**
   * The sink takes no more data.
   *
   * @param complete whether the last byte was sent
   */
  void onClosed(boolean complete);

  /** Receives the body. Used on the exchange's event loop. It ignores calls after the end. */
  interface Sink {
    /** Returns whether the sink's buffer is nearly empty, so that the source should write more. */
    boolean isWritable();

    /**
     * Writes a part of the body. While {@link #isWritable} is false the sink buffers the part.
     *
     * @param onReleased runs once, when the slices were sent or discarded
     */
    void write(List<ByteBuffer> part, Runnable onReleased);

    /**
     * Ends the body.
     *
     * @param trailers headers to send after the body if the protocol supports them
     */
    void complete(List<Map.Entry<String, String>> trailers);

    /** Ends the body with a protocol error, so that the client sees that it is incomplete. */
    void abort();
  }
}
