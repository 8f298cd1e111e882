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
 * @param client whose it is
 */
public record RequestCopy(
    String method,
    String uri,
    String protocolVersion,
    List<Map.Entry<String, String>> headers,
    ByteBuffer body,
    ClientInfo client) {

  /** What an object takes beside its text. */
  private static final int ENTRY_OVERHEAD_BYTES = 64;

  /**
   * Whose request it is.
   *
   * @param tenant as {@link HttpExchange#tenant} tells it
   * @param policy that it goes by
   * @param remoteAddress the client's address
   * @param localAddress this gateway's
   */
  public record ClientInfo(
      String tenant,
      RequestPolicy policy,
      SocketAddress remoteAddress,
      SocketAddress localAddress) {}

  /**
   * Copies a request. Called on its home, before it is answered.
   *
   * @param body a copy
   */
  public static RequestCopy copyOf(HttpExchange exchange, ByteBuffer body) {
    return new RequestCopy(
        exchange.method(),
        exchange.uri(),
        exchange.protocolVersion(),
        List.copyOf(exchange.headers()),
        body,
        new ClientInfo(
            exchange.tenant(),
            exchange.policy(),
            exchange.remoteAddress(),
            exchange.localAddress()));
  }

  /** A copy of bytes, on the heap. */
  static ByteBuffer copyBytes(ByteBuffer from) {
    byte[] bytes = new byte[from.remaining()];
    from.get(from.position(), bytes);
    return ByteBuffer.wrap(bytes);
  }

  /** The same with another path and query. */
  RequestCopy withUri(String otherUri) {
    return new RequestCopy(method, otherUri, protocolVersion, headers, body, client);
  }

  /** About what it takes of the heap. */
  long heapBytes() {
    long text = uri.length();
    for (Map.Entry<String, String> header : headers) {
      text += header.getKey().length() + header.getValue().length() + ENTRY_OVERHEAD_BYTES;
    }
    return body.capacity() + text + ENTRY_OVERHEAD_BYTES;
  }

  /** The body, a character a byte: to look for ASCII in it. */
  String bodyText() {
    return StandardCharsets.ISO_8859_1.decode(body.duplicate()).toString();
  }
}
