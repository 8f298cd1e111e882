package dev.weir.http.body;

import io.netty.handler.codec.compression.DecompressionException;

/**
 * Receives the reason why a body can't be processed. Called at most once, on the request's event
 * loop.
 */
public interface BodyFailureListener {
  /** Called when the body does not match its content-encoding, or can't be transformed. */
  void onCorrupt(DecompressionException failure);

  /** Called when the gateway failed to process the body, for example for lack of memory. */
  void onProcessingFailure(Throwable failure);
}
