package dev.weir.testkit.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A listening fake node; it remembers what it was asked. */
public final class FakeNode implements AutoCloseable {
  private static final Duration WAIT_TIMEOUT = Duration.ofSeconds(60);

  private final ServerSocket listener;
  private final ReplyScript script;
  private final List<FakeConnection> connections = new CopyOnWriteArrayList<>();
  private final List<FakeRequest> requests = new ArrayList<>();
  private final List<IOException> protocolErrors = new CopyOnWriteArrayList<>();

  private FakeNode(ServerSocket listener, ReplyScript script) {
    this.listener = listener;
    this.script = script;
  }

  /** Listens on a free port of the loopback address. */
  public static FakeNode start(ReplyScript script) {
    return start(0, script);
  }

  /** Listens on a port of the loopback address. */
  public static FakeNode start(int port, ReplyScript script) {
    try {
      ServerSocket listener = new ServerSocket();
      listener.setReuseAddress(true);
      listener.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
      FakeNode node = new FakeNode(listener, script);
      Thread.ofPlatform().daemon().name("fake-node").start(node::acceptAll);
      return node;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot listen on port " + port, e);
    }
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  /** Where it listens, as {@code host:port}. */
  public String endpoint() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /** How many connections it accepted so far. */
  public int acceptedConnections() {
    return connections.size();
  }

  /** What it was asked so far, handshakes included, in the order of arrival. */
  public List<FakeRequest> requests() {
    synchronized (requests) {
      return List.copyOf(requests);
    }
  }

  /** What was wrong with what it read. */
  public List<IOException> protocolErrors() {
    return List.copyOf(protocolErrors);
  }

  /** Waits for a request of an action, the first that it got or will get. */
  public FakeRequest awaitRequest(String action) {
    return await(
            "a request " + action, found -> found.stream().anyMatch(each -> isOf(each, action)))
        .stream()
        .filter(each -> isOf(each, action))
        .findFirst()
        .orElseThrow();
  }

  /** Waits until so many requests of an action have come, and returns them. */
  public List<FakeRequest> awaitRequests(String action, int count) {
    return await(
            count + " requests " + action,
            found -> found.stream().filter(each -> isOf(each, action)).count() >= count)
        .stream()
        .filter(each -> isOf(each, action))
        .toList();
  }

  private static boolean isOf(FakeRequest request, String action) {
    return request.action().equals(action);
  }

  private List<FakeRequest> await(String what, Predicate<List<FakeRequest>> condition) {
    long deadline = System.nanoTime() + WAIT_TIMEOUT.toNanos();
    synchronized (requests) {
      try {
        while (!condition.test(requests)) {
          long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
          if (left <= 0) {
            throw new AssertionError("got " + requests + " (expected: " + what + ")");
          }
          requests.wait(left);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for " + what, e);
      }
      return List.copyOf(requests);
    }
  }

  private void acceptAll() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        FakeConnection connection = new FakeConnection(socket);
        connections.add(connection);
        Thread.ofPlatform().daemon().name("fake-connection").start(() -> serve(connection));
      } catch (IOException closed) {
        // The listener is closed, or the peer was gone at once.
      }
    }
  }

  private void serve(FakeConnection connection) {
    try {
      for (FakeRequest request = connection.read(); request != null; request = connection.read()) {
        synchronized (requests) {
          requests.add(request);
          requests.notifyAll();
        }
        script.answer(request).send(connection, request);
      }
      connection.close();
    } catch (IOException problem) {
      if (!listener.isClosed() && !connection.isClosed()) {
        protocolErrors.add(problem);
      }
    }
  }

  /** Closes all connections with a reset, and goes on listening. */
  public void dropConnections() {
    for (FakeConnection connection : connections) {
      try {
        connection.reset();
      } catch (IOException closed) {
        // It is closed already.
      }
    }
  }

  /** Ends: nothing listens any more, all connections are closed. */
  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    dropConnections();
  }
}
