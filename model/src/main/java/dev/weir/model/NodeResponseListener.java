package dev.weir.model;

import java.nio.ByteBuffer;

/**
 * Receives a node's response in parts, as it arrives. Confined to the request's event loop; never
 * throws, never blocks. After the first {@link #onComplete} or {@link #onFailure} no method is
 * called any more.
 */
public interface NodeResponseListener {
  /**
   * The response's head arrived.
   *
   * @param contentType empty for none
   * @param coding the value of {@code Content-Encoding}; empty for none
   */
  void onHead(int status, String contentType, String coding);

  /**
   * A part of the body arrived.
   *
   * @param part valid only during the call
   * @return whether the listener wants more of the body
   */
  boolean onContent(ByteBuffer part);

  /** The response is complete. */
  void onComplete();

  /**
   * There is no response, or its rest is missing.
   *
   * @param status the status that a client would get: 429, 502, 503 or 504
   */
  void onFailure(int status);
}
