package dev.weir.model;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/**
 * Makes the body of an answer while the client takes it. Called on the exchange's home; {@link
 * #onClosed} is called once, last, and whether or not {@link #onStart} was.
 */
public interface BodySource {
  /** The answer's turn has come: from now on it may be written. */
  void onStart(Sink taker);

  /** The client takes more again: {@link Sink#isWritable} is true. */
  void onWritable();

  /**
   * Nothing more is taken.
   *
   * @param complete whether the last byte has left
   */
  void onClosed(boolean complete);

  /** What takes the body. Used on the exchange's home; after the end it takes nothing. */
  interface Sink {
    /** Whether the client has nearly all that was written, so that more should be. */
    boolean isWritable();

    /**
     * Writes a part; also while it is not {@link #isWritable}, but then that waits here.
     *
     * @param onReleased runs once when the slices are not read any more, because they have left or
     *     will not
     */
    void write(List<ByteBuffer> part, Runnable onReleased);

    /**
     * The body is complete.
     *
     * @param trailers headers that are sent behind it, where the protocol has such
     */
    void complete(List<Map.Entry<String, String>> trailers);

    /**
     * The body can't be completed: behind what was written it ends so that the client does not take
     * it for complete.
     */
    void abort();
  }
}
