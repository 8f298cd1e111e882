package dev.weir.it.columnar;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Reads a chunked response slowly from a socket with a small buffer. */
final class SlowChunkedReader implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 180_000;

  private final Socket socket = new Socket();
  private final InputStream in;
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private final Map<String, String> trailers = new LinkedHashMap<>();
  private final int status;
  private boolean isComplete;

  /** Sends a request, and waits for the head of its response. */
  SlowChunkedReader(URI base, String target, String search) throws IOException {
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setReceiveBufferSize(16 << 10);
    socket.connect(new InetSocketAddress(base.getHost(), base.getPort()), TIMEOUT_MILLIS);
    this.in = new BufferedInputStream(socket.getInputStream());
    String head =
        "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            .formatted(target, search.getBytes(UTF_8).length);
    socket.getOutputStream().write((head + search).getBytes(UTF_8));
    this.status = Integer.parseInt(line().split(" ")[1]);
    String header;
    do {
      header = line();
    } while (!header.isEmpty());
  }

  int status() {
    return status;
  }

  /** Reads at least this many bytes more of the body, or all. */
  SlowChunkedReader read(long bytes) throws IOException {
    long until = body.size() + bytes;
    while (!isComplete && body.size() < until) {
      chunk();
    }
    return this;
  }

  /** Reads everything that is available. */
  SlowChunkedReader readAll() throws IOException {
    try {
      while (!isComplete) {
        chunk();
      }
    } catch (EOFException | SocketException brokenOff) {
      isComplete = false;
    }
    return this;
  }

  private void chunk() throws IOException {
    int length = Integer.parseInt(line(), 16);
    if (length > 0) {
      byte[] chunk = in.readNBytes(length);
      body.write(chunk, 0, chunk.length);
      line();
      return;
    }
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      trailers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    isComplete = true;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("got the end of the connection (expected: a line)");
      }
      line.write(next);
    }
    return line.toString(ISO_8859_1).strip();
  }

  /** Returns whether the last chunk arrived. */
  boolean isComplete() {
    return isComplete;
  }

  /** Returns the received part of the body. */
  String text() {
    return body.toString(UTF_8);
  }

  /** Returns a trailer; empty if it did not arrive. */
  String trailer(String name) {
    return trailers.getOrDefault(name, "");
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
