package dev.weir.bluegreen.shadow;

import dev.weir.model.HttpExchange;
import dev.weir.model.RequestPolicy;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * A copy of a request, to be carried out when its exchange is over. Immutable.
 *
 * @param uri path and query as sent
 * @param body on the heap; whoever reads it duplicates it
 * @param from whose it is
 */
public record KeptRequest(
    String method,
    String uri,
    String protocolVersion,
    List<Map.Entry<String, String>> headers,
    ByteBuffer body,
    Sender from) {

  /** What an object takes beside its text. */
  private static final int EACH = 64;

  /**
   * Whose request it is.
   *
   * @param tenant as {@link HttpExchange#tenant} tells it
   * @param policy that it goes by
   * @param remote the client's address
   * @param local this gateway's
   */
  public record Sender(
      String tenant, RequestPolicy policy, SocketAddress remote, SocketAddress local) {}

  /**
   * Copies a request. Called on its home, before it is answered.
   *
   * @param body a copy
   */
  public static KeptRequest of(HttpExchange exchange, ByteBuffer body) {
    return new KeptRequest(
        exchange.method(),
        exchange.uri(),
        exchange.protocolVersion(),
        List.copyOf(exchange.headers()),
        body,
        new Sender(
            exchange.tenant(),
            exchange.policy(),
            exchange.remoteAddress(),
            exchange.localAddress()));
  }

  /** A copy of bytes, on the heap. */
  static ByteBuffer copied(ByteBuffer from) {
    byte[] bytes = new byte[from.remaining()];
    from.get(from.position(), bytes);
    return ByteBuffer.wrap(bytes);
  }

  /** The same with another path and query. */
  KeptRequest at(String otherUri) {
    return new KeptRequest(method, otherUri, protocolVersion, headers, body, from);
  }

  /** About what it takes of the heap. */
  long bytes() {
    long text = uri.length();
    for (Map.Entry<String, String> header : headers) {
      text += header.getKey().length() + header.getValue().length() + EACH;
    }
    return body.capacity() + text + EACH;
  }

  /** The body, a character a byte: to look for ASCII in it. */
  String text() {
    return StandardCharsets.ISO_8859_1.decode(body.duplicate()).toString();
  }
}
