package dev.weir.http;

import dev.weir.model.HttpReply;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The heads of answers that the gateway gives itself. */
final class AnswerHeads {
  private AnswerHeads() {}

  /**
   * The headers, without content-length.
   *
   * @param entry where the request went; null when it went nowhere
   * @throws IllegalArgumentException when a header can't be sent as it is
   */
  static HttpHeaders of(Exchange exchange, @Nullable Entry entry, HttpReply reply) {
    Supplier<String> own = entry == null ? null : entry.serverVersion();
    Supplier<String> version = own == null ? exchange.connection().options().serverVersion() : own;
    return RequestHeads.answerHeaders(exchange.request(), reply, version.get());
  }

  /** How the body is coded; null for not at all. */
  static @Nullable ContentCoding coding(Exchange exchange, HttpHeaders headers) {
    return RequestHeads.coding(
        exchange.request(), headers, exchange.connection().options().compression());
  }
}
