package dev.weir.http;

import io.netty.handler.codec.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/** Why nothing can be made of a request by its head. */
sealed interface HeadFault {
  /** It is not HTTP: the client hears so. */
  record Undecodable(Throwable why) implements HeadFault {}

  /** A node closes the connection without a word. */
  record Unknown(int code, String why) implements HeadFault {}

  /** The first one; null for none. */
  static @Nullable HeadFault of(HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      return new Undecodable(request.decoderResult().cause());
    }
    if (!RequestHeads.known(request.method())) {
      return new Unknown(
          405, "got method " + request.method() + " (expected: one that a node knows)");
    }
    if (!RequestHeads.known(request.protocolVersion())) {
      return new Unknown(
          505, "got version " + request.protocolVersion() + " (expected: HTTP/1.0 or HTTP/1.1)");
    }
    String fault = RequestHeads.framingFault(request);
    return fault == null ? null : new Undecodable(new IllegalArgumentException(fault));
  }
}
