package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;

/** A client's connection that sends what it likes. */
final class RawConnection implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 180_000;
  private static final String LENGTH = "content-length:";

  /** What the kernel takes for a client that does not read. */
  private static final int UNREAD_BYTES = 64 << 10;

  private final Socket socket = new Socket();
  private final InputStream in;

  RawConnection(URI base) throws IOException {
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setReceiveBufferSize(UNREAD_BYTES); // kernels take tens of megabytes else
    socket.connect(new InetSocketAddress(base.getHost(), base.getPort()), TIMEOUT_MILLIS);
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  /** Sends a text as it is. */
  RawConnection send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(UTF_8));
    socket.getOutputStream().flush();
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
   * @param head further lines of its head, each with its end
   */
  RawConnection send(String method, String target, String contentType, String body, String head)
      throws IOException {
    return send(head(method, target, contentType, body, head) + body);
  }

  /** The head of a request, to its end. */
  static String head(String method, String target, String contentType, String body, String more) {
    return "%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n"
        .formatted(method, target, contentType, body.getBytes(UTF_8).length, more);
  }

  /** The next answer, which must have a JSON body of a known length, or an empty one. */
  JsonResponse readResponse() throws IOException {
    int status = Integer.parseInt(line().split(" ")[1]);
    int length = 0;
    for (String line = line(); !line.isEmpty(); line = line()) {
      if (line.regionMatches(true, 0, LENGTH, 0, LENGTH.length())) {
        length = Integer.parseInt(line.substring(LENGTH.length()).strip());
      }
    }
    String body = new String(in.readNBytes(length), UTF_8);
    return JsonResponse.of(status, body.isEmpty() ? "{}" : body);
  }

  /** Waits until an answer begins, and reads no more than its first bytes. */
  void begin() throws IOException {
    if (in.read() < 0) {
      throw new EOFException("got the end of the connection (expected: an answer)");
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("got the end of the connection (expected: an answer)");
      }
      line.append((char) next);
    }
    return new String(line.toString().strip().getBytes(ISO_8859_1), UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
