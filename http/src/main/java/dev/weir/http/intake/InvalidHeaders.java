package dev.weir.http.intake;

import dev.weir.http.connection.HttpHeaderRules;
import io.netty.handler.codec.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/** Why a request can't be served, as found in its headers. */
public sealed interface InvalidHeaders {
  /** The codec could not decode the request; the client gets an error response. */
  record Undecodable(Throwable cause) implements InvalidHeaders {}

  /**
   * A node closes the connection of such a request without a response.
   *
   * @param code the status that the access log shows
   */
  record Unsupported(int code, String reason) implements InvalidHeaders {}

  /** Returns the first fault; null for none. */
  static @Nullable InvalidHeaders find(HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      return new Undecodable(request.decoderResult().cause());
    }
    if (!HttpHeaderRules.isKnown(request.method())) {
      return new Unsupported(
          405, "got method " + request.method() + " (expected: one that a node knows)");
    }
    if (!HttpHeaderRules.isKnown(request.protocolVersion())) {
      return new Unsupported(
          505, "got version " + request.protocolVersion() + " (expected: HTTP/1.0 or HTTP/1.1)");
    }
    String fault = HttpHeaderRules.findFramingFault(request);
    return fault == null ? null : new Undecodable(new IllegalArgumentException(fault));
  }
}
