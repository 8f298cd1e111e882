package dev.weir.testkit.compare;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP server that answers each request head with prepared bytes; bodies of requests are not
 * expected.
 */
final class CannedServer implements AutoCloseable {
  private final ServerSocket listener;
  private final Function<String, String> answers;
  private final List<String> requestLines = new CopyOnWriteArrayList<>();

  /**
   * Starts to listen.
   *
   * @param answers the answer to a request's first line; empty to close the connection
   */
  CannedServer(Function<String, String> answers) {
    this.answers = answers;
    try {
      listener = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    Thread.ofPlatform().daemon().start(this::acceptAll);
  }

  /** A 200 with a JSON body. */
  static String json(String body) {
    return "HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=UTF-8\r\ncontent-length: "
        + body.getBytes(UTF_8).length
        + "\r\n\r\n"
        + body;
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  List<String> requestLines() {
    return requestLines;
  }

  private void acceptAll() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        Thread.ofPlatform().daemon().start(() -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket;
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1))) {
      for (String first = head(reader); first != null; first = head(reader)) {
        requestLines.add(first);
        String answer = answers.apply(first);
        if (answer.isEmpty()) {
          return;
        }
        socket.getOutputStream().write(answer.getBytes(UTF_8));
        socket.getOutputStream().flush();
      }
    } catch (IOException gone) {
      // The client left.
    }
  }

  private static @Nullable String head(BufferedReader reader) throws IOException {
    String first = reader.readLine();
    for (String line = first; line != null && !line.isEmpty(); line = reader.readLine()) {
      // Headers are not looked at.
    }
    return first;
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
