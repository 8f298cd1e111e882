package dev.weir.testkit.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Many connections of one kind that take their time. Closing them closes all sockets. Confined to
 * one thread, which starts a virtual thread for each connection.
 */
public final class HostileConnections implements AutoCloseable {
  private static final int RECEIVE_BUFFER_BYTES = 4096;
  private static final long STEP_NANOS = 200_000_000;
  private static final int SOURCES = 8;
  private static final int CONNECT_MILLIS = 10_000;

  /** What the connections do. */
  public enum Kind {
    /** Each sends a request's head, a byte at a time. */
    SLOW_HEADS("GET /" + HostileRequest.INDEX + "/_search HTTP/1.1\r\nHost: x\r\nX-A: ", "a"),
    /** Each sends the body of a request that passes through, a byte at a time. */
    SLOW_BODIES(
        "POST /_reindex HTTP/1.1\r\n"
            + "Host: x\r\n"
            + "Content-Type: application/json\r\n"
            + "Content-Length: 100000\r\n\r\n{",
        " "),
    /** Each sends the body of a bulk, a byte at a time. */
    SLOW_BULKS(
        "POST /"
            + HostileRequest.INDEX
            + "/_bulk HTTP/1.1\r\n"
            + "Host: x\r\n"
            + "Content-Type: application/x-ndjson\r\n"
            + "Content-Length: 10000000\r\n\r\n{",
        "x"),
    /** Each requests much and reads nothing. */
    SLOW_READERS(
        "GET /" + HostileRequest.LARGE_INDEX + "/_search?size=100 HTTP/1.1\r\nHost: x\r\n\r\n", ""),
    /** Each sends one request, and stays. */
    IDLE("GET /" + HostileRequest.INDEX + "/_search?size=0 HTTP/1.1\r\nHost: x\r\n\r\n", ""),
    /** Each opens and sends nothing. */
    SILENT("", ""),
    /** Each sends the preface of HTTP/2 with empty settings, and no request. */
    HTTP2_PREFACES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", ""),
    /** Each asks to upgrade to HTTP/2 with a request that has a body of a megabyte. */
    HTTP2_UPGRADES(
        "POST /"
            + HostileRequest.INDEX
            + "/_search HTTP/1.1\r\n"
            + "Host: x\r\n"
            + "Connection: Upgrade, HTTP2-Settings\r\n"
            + "Upgrade: h2c\r\n"
            + "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"
            + "Content-Length: 1000001\r\n\r\n"
            + " ".repeat(1_000_000),
        ""),
    /** Each sends frames of HTTP/2 that cost the receiver more than the sender: pings. */
    HTTP2_PINGS(
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
        "\0\0\10\6\0\0\0\0\00012345678".repeat(200)),
    /** Each sends settings of HTTP/2, which the receiver must acknowledge, and reads nothing. */
    HTTP2_SETTINGS(
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", "\0\0\0\4\0\0\0\0\0".repeat(200)),
    /** Each sends the headers of one request of HTTP/2 without an end. */
    HTTP2_CONTINUATIONS(
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\0\0\1\1\0\0\0\0\1\202",
        "\0\0\1\11\0\0\0\0\1\206".repeat(50));

    private final String first;
    private final String more;

    Kind(String first, String more) {
      this.first = first;
      this.more = more;
    }
  }

  private final List<Socket> sockets = new ArrayList<>();
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private int refused;

  private HostileConnections(InetSocketAddress address, Kind kind, int count) {
    byte[] first = kind.first.getBytes(ISO_8859_1);
    byte[] more = kind.more.getBytes(ISO_8859_1);
    for (int i = 0; i < count; i++) {
      connect(address, i % SOURCES, first, more);
    }
  }

  /** Opens connections to this machine from several of its addresses. */
  public static HostileConnections open(InetSocketAddress address, Kind kind, int count) {
    return new HostileConnections(address, kind, count);
  }

  /** Returns the number of connections that the server did not accept or closed at once. */
  public int refused() {
    return refused;
  }

  private void connect(InetSocketAddress address, int source, byte[] first, byte[] more) {
    Socket socket = new Socket();
    try {
      socket.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
      socket.bind(new InetSocketAddress("127.0.0." + (2 + source), 0));
      socket.connect(address, CONNECT_MILLIS);
      sockets.add(socket);
      Thread.ofVirtual().start(() -> send(socket, first, more));
    } catch (IOException e) {
      refused++;
      close(socket);
    }
  }

  private void send(Socket socket, byte[] first, byte[] more) {
    try {
      socket.getOutputStream().write(first);
      while (!isClosed.get() && more.length > 0) {
        LockSupport.parkNanos(STEP_NANOS);
        socket.getOutputStream().write(more);
      }
    } catch (IOException e) {
      // The server has closed the connection.
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    isClosed.set(true);
    sockets.forEach(HostileConnections::close);
  }
}
