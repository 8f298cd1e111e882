package dev.weir.http;

import dev.weir.model.BufferedResponse;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The heads of answers that the gateway gives itself. */
final class ResponseHeaders {
  private ResponseHeaders() {}

  /**
   * The headers, without content-length.
   *
   * @param entry where the request went; null when it went nowhere
   * @throws IllegalArgumentException when a header can't be sent as it is
   */
  static HttpHeaders build(
      ClientExchange exchange, @Nullable RequestIntake entry, BufferedResponse reply) {
    Supplier<String> own = entry == null ? null : entry.serverVersion();
    Supplier<String> version = own == null ? exchange.connection().options().serverVersion() : own;
    return HttpHeaderRules.responseHeaders(exchange.request(), reply, version.get());
  }

  /** How the body is coded; null for not at all. */
  static @Nullable ContentCoding chooseCoding(ClientExchange exchange, HttpHeaders headers) {
    return HttpHeaderRules.chooseCoding(
        exchange.request(), headers, exchange.connection().options().compression());
  }
}
