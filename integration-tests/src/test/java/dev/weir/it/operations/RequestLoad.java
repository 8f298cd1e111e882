package dev.weir.it.operations;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.weir.it.faults.Await;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * Clients that send the same request one after the other. Half of them open a new connection for
 * each request; the others keep theirs until the gateway asks them to close it. They never retry:
 * every failure is recorded.
 */
final class RequestLoad implements AutoCloseable {
  private final int port;
  private final String request;
  private final long pauseMillis;
  private final List<Thread> threads = new ArrayList<>();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final LongAdder connections = new LongAdder();
  private volatile boolean stopped;

  /**
   * A response.
   *
   * @param startNanos when its request was sent, by {@link System#nanoTime}
   * @param endNanos when it arrived
   */
  record Answer(long startNanos, long endNanos, String body) {}

  /**
   * Starts clients.
   *
   * @param pauseMillis of each client after each response
   */
  RequestLoad(int port, String path, int clients, long pauseMillis) {
    this.port = port;
    this.pauseMillis = pauseMillis;
    this.request = "GET " + path + " HTTP/1.1\r\nHost: here\r\nUser-Agent: load/1\r\n";
    for (int i = 0; i < clients; i++) {
      boolean keeps = i % 2 == 0;
      threads.add(Thread.ofVirtual().name("client-" + i).start(() -> run(keeps)));
    }
  }

  /** The responses, unordered. */
  List<Answer> answers() {
    return List.copyOf(answers);
  }

  /** The failures. */
  List<String> failures() {
    return List.copyOf(failures);
  }

  long connections() {
    return connections.sum();
  }

  private void run(boolean keeps) {
    while (!stopped) {
      String doing = "connecting";
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        connections.increment();
        socket.setSoTimeout(60_000);
        doing = "the first request of a connection";
        InputStream in = new BufferedInputStream(socket.getInputStream());
        while (ask(socket, in, keeps) && keeps && !stopped) {
          doing = "a further request of a connection";
        }
      } catch (IOException e) {
        failures.add(doing + ": " + e);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Returns whether the connection stays open. */
  private boolean ask(Socket socket, InputStream in, boolean keeps)
      throws IOException, InterruptedException {
    long begun = System.nanoTime();
    String head = request + (keeps ? "\r\n" : "Connection: close\r\n\r\n");
    socket.getOutputStream().write(head.getBytes(ISO_8859_1));
    String status = line(in);
    int length = -1;
    boolean stays = true;
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      String lower = line.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(line.substring(15).strip());
      } else if (lower.startsWith("connection:")) {
        stays = !lower.contains("close");
      }
    }
    if (length < 0) {
      throw new IOException("got no length after " + status);
    }
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new IOException("got the end in the body after " + status);
    }
    String text = new String(body, ISO_8859_1);
    if (!status.startsWith("HTTP/1.1 200 ")) {
      failures.add(status + " " + text);
    }
    answers.add(new Answer(begun, System.nanoTime(), text));
    Thread.sleep(pauseMillis);
    return stays;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("got the end after \"" + line + "\"");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  /** Waits for a response to a request that was sent after this call. */
  void awaitNext() {
    long from = System.nanoTime();
    Await.untilValue(
        "an answer to a new request",
        () -> answers.stream().anyMatch(answer -> answer.startNanos() > from),
        found -> found);
  }

  /** Stops, and waits for requests in flight. */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Override
  public void close() {
    stopped = true;
  }
}
