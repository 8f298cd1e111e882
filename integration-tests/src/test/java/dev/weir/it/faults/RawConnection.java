package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;

/** A client's connection for JSON requests, which may be malformed or incomplete. */
final class RawConnection implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  private final RawHttpConnection connection;

  RawConnection(URI base) throws IOException {
    connection =
        new RawHttpConnection(new InetSocketAddress(base.getHost(), base.getPort()), TIMEOUT);
  }

  /** Sends a text as it is. */
  RawConnection send(String text) throws IOException {
    connection.send(text.getBytes(UTF_8));
    return this;
  }

  /** Sends a request with a body. */
  RawConnection send(String method, String target, String contentType, String body)
      throws IOException {
    return send(method, target, contentType, body, "");
  }

  /**
   * Sends a request with a body.
   *
   * @param head further header lines, each with its line end
   */
  RawConnection send(String method, String target, String contentType, String body, String head)
      throws IOException {
    return send(head(method, target, contentType, body, head) + body);
  }

  /** The request line and headers of a request, to the empty line. */
  static String head(String method, String target, String contentType, String body, String more) {
    return "%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n"
        .formatted(method, target, contentType, body.getBytes(UTF_8).length, more);
  }

  /** The next response, which must have a JSON body, or an empty one. */
  JsonResponse readResponse() throws IOException {
    RawHttpConnection.Response response = connection.read();
    String body = response.text();
    return JsonResponse.of(response.status(), body.isEmpty() ? "{}" : body);
  }

  /** Waits until a response begins, and reads no more than its first bytes. */
  void begin() throws IOException {
    if (connection.readSome(new byte[1]) < 0) {
      throw new EOFException("got the end of the connection (expected: a response)");
    }
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
