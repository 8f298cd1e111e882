package dev.weir.model;

import java.nio.ByteBuffer;

/**
 * Hears a node's answer part by part, as it comes. Confined to the request's home; never throws,
 * never blocks. After the first of {@link #onComplete} and {@link #onFailure} it hears nothing
 * more.
 */
public interface NodeResponseListener {
  /**
   * The answer has begun.
   *
   * @param contentType empty for none
   * @param coding as {@code Content-Encoding} names it; empty for none
   */
  void onHead(int status, String contentType, String coding);

  /**
   * Some of its body has come.
   *
   * @param part borrowed
   * @return whether more of the body is wanted
   */
  boolean onContent(ByteBuffer part);

  /** It is complete. */
  void onComplete();

  /**
   * There is no answer, or no more of it.
   *
   * @param status that says why, as a client would be told: 429, 502, 503 or 504
   */
  void onFailure(int status);
}
