package dev.weir.http.body;

import io.netty.handler.codec.compression.DecompressionException;

/** Hears why a body can't be processed. Called at most once, on the request's event loop. */
public interface BodyFailureListener {
  /** The body is not what its content-encoding says, or can't be transformed. */
  void onCorrupt(DecompressionException failure);

  /** The gateway failed to process the body, for example because memory ran out. */
  void onProcessingFailure(Throwable failure);
}
