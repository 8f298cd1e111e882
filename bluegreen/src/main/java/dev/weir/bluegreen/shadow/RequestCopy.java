package dev.weir.bluegreen.shadow;

import dev.weir.model.HttpExchange;
import dev.weir.model.RequestPolicy;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * A copy of a request that outlives its exchange. Immutable.
 *
 * @param uri path and query as sent
 * @param body on the heap; readers duplicate it
 * @param client the origin of the request
 */
public record RequestCopy(
    String method,
    String uri,
    String protocolVersion,
    List<Map.Entry<String, String>> headers,
    ByteBuffer body,
    ClientInfo client) {

  /** Heap bytes of an object besides its text. */
  private static final int ENTRY_OVERHEAD_BYTES = 64;

  /**
   * The origin of a request.
   *
   * @param tenant as in {@link HttpExchange#tenant}
   * @param policy the policy of the request
   * @param remoteAddress the client's address
   * @param localAddress the address of this gateway
   */
  public record ClientInfo(
      String tenant,
      RequestPolicy policy,
      SocketAddress remoteAddress,
      SocketAddress localAddress) {}

  /**
   * Copies a request. Called on its event loop, before the response.
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

  /** Copies bytes to the heap. */
  static ByteBuffer copyBytes(ByteBuffer from) {
    byte[] bytes = new byte[from.remaining()];
    from.get(from.position(), bytes);
    return ByteBuffer.wrap(bytes);
  }

  /** The same request with another path and query. */
  RequestCopy withUri(String otherUri) {
    return new RequestCopy(method, otherUri, protocolVersion, headers, body, client);
  }

  /** The approximate heap size in bytes. */
  @SuppressWarnings("ByteBufferBackingArray") // the size of the whole array, which stays alive
  long heapBytes() {
    long text = uri.length();
    for (Map.Entry<String, String> header : headers) {
      text += header.getKey().length() + header.getValue().length() + ENTRY_OVERHEAD_BYTES;
    }
    int bodyBytes = body.hasArray() ? body.array().length : body.capacity();
    return bodyBytes + text + ENTRY_OVERHEAD_BYTES;
  }

  /** The body as ISO-8859-1 text, to search it for ASCII. */
  String bodyText() {
    return StandardCharsets.ISO_8859_1.decode(body.duplicate()).toString();
  }
}
