package dev.weir.testkit.hostile;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Sends hostile requests over plain sockets, each on a connection of its own, and reads the whole
 * response while it still sends. Any thread.
 */
public final class HostileClient {
  private static final int PIECE = 1 << 16;
  private static final int EXCERPT = 300;
  private static final int STATUS_BEGINS = 9;
  private static final int STATUS_ENDS = 12;

  private final InetSocketAddress address;
  private final Duration timeout;

  /**
   * A client of one endpoint on this machine.
   *
   * @param timeout how long a response may pause
   */
  public HostileClient(InetSocketAddress address, Duration timeout) {
    this.address = address;
    this.timeout = timeout;
  }

  /** Sends a request in a size. */
  public HostileOutcome send(HostileRequest request, int size) {
    byte[] body = request.body().apply(size);
    return send(request.head(body.length), body);
  }

  /** Sends the same request many times at once. */
  public List<HostileOutcome> sendAtOnce(HostileRequest request, int size, int times) {
    byte[] body = request.body().apply(size);
    byte[] head = request.head(body.length);
    List<CompletableFuture<HostileOutcome>> running = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < times; i++) {
        running.add(CompletableFuture.supplyAsync(() -> send(head, body), threads));
      }
      return running.stream().map(CompletableFuture::join).toList();
    }
  }

  /** Sends bytes, and reads until the server closes: the request must ask for that or be wrong. */
  public HostileOutcome send(byte[] head, byte[] body) {
    long began = System.nanoTime();
    byte[] closing =
        new String(head, StandardCharsets.ISO_8859_1)
            .replaceFirst("\r\n", "\r\nConnection: close\r\n")
            .getBytes(StandardCharsets.ISO_8859_1);
    try (Socket socket = new Socket()) {
      socket.connect(address, Math.toIntExact(timeout.toMillis()));
      socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
      Thread.ofVirtual().start(() -> write(socket, closing, body)); // ends with the socket
      return read(socket.getInputStream(), began);
    } catch (IOException e) {
      return new HostileOutcome(HostileOutcome.CLOSED, 0, System.nanoTime() - began, e.toString());
    }
  }

  /**
   * Sends bytes as they are; returns all that arrives until the server closes the connection or
   * sends nothing for the timeout.
   */
  public String exchange(byte[] bytes) {
    StringBuilder received = new StringBuilder();
    try (Socket socket = new Socket()) {
      socket.connect(address, Math.toIntExact(timeout.toMillis()));
      socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
      socket.getOutputStream().write(bytes);
      byte[] piece = new byte[PIECE];
      InputStream in = socket.getInputStream();
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        received.append(new String(piece, 0, n, StandardCharsets.ISO_8859_1));
      }
    } catch (IOException e) {
      // A timeout or a reset: what has arrived counts.
    }
    return received.toString();
  }

  private static void write(Socket socket, byte[] head, byte[] body) {
    try {
      OutputStream out = socket.getOutputStream();
      out.write(head);
      for (int from = 0; from < body.length; from += PIECE) {
        out.write(body, from, Math.min(PIECE, body.length - from));
      }
    } catch (IOException e) {
      // The server has rejected the request and reads no more of it.
    }
  }

  private static HostileOutcome read(InputStream in, long began) {
    StringBuilder excerpt = new StringBuilder();
    long bytes = 0;
    int failure = HostileOutcome.CLOSED;
    byte[] piece = new byte[PIECE];
    try {
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        bytes += n;
        if (excerpt.length() < EXCERPT) {
          excerpt.append(
              new String(
                  piece, 0, Math.min(n, EXCERPT - excerpt.length()), StandardCharsets.UTF_8));
        }
      }
    } catch (SocketTimeoutException e) {
      failure = HostileOutcome.TIMED_OUT;
    } catch (IOException e) {
      // A reset after the response: what has arrived counts.
    }
    long nanos = System.nanoTime() - began;
    String text = excerpt.toString();
    boolean hasStatus = text.startsWith("HTTP/1.") && text.length() >= STATUS_ENDS;
    int status =
        hasStatus && failure != HostileOutcome.TIMED_OUT
            ? Integer.parseInt(text.substring(STATUS_BEGINS, STATUS_ENDS))
            : failure;
    return new HostileOutcome(status, bytes, nanos, text);
  }
}
